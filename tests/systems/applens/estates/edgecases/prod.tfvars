github_token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz" # finds SEC-01
region       = "eu-west-1"
