"""AppLens: Terraform in, graph and risk report out."""
