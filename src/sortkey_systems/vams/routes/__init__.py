"""The routes, one module per subject. They read the request, call the service, shape the answer."""
