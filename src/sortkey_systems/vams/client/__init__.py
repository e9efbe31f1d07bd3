"""A client of the interface: over HTTP, or in this process on a service.

    Client              calls with a token; lists over all their pages; repeats where it has to wait
    HttpTransport       a server somewhere
    InProcess           the routes of a service in this process, without a port
    upload_files        files in batches, as parts, with links
    synchronize         make the files of an asset equal to given ones, or the other way round
    export_database     a database as a folder
    import_database     such a folder as a database

The commands and the sample stand on it, so both pass every check that a stranger's client passes.
"""
