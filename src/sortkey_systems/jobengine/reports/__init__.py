"""Reports of steps and jobs: their catalog, their kinds, and the recommendations in them."""
