"""Sample assets of a plant, a hangar and a museum: models, pictures and documents that are made
here, and loaded through the interface in the name of three users with different permissions.

    meshes          triangles: boxes, and profiles turned around an axis
    model_files     meshes and point clouds as GLB, STL, OBJ and PLY
    pictures        PNG files, drawn from meshes
    documents       a PDF of text
    contents        the files of the sample by name
    rows            users, roles, permissions and buckets, which are there before anything else
    loader          the calls; what they are about is in sample.toml
"""
