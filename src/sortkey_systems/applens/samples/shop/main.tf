# A shop of middling size: a site on CloudFront, an API on Lambda, orders in containers, reports by night.

terraform {
  required_version = ">= 1.6"
}

provider "aws" {
  region = var.region
}

variable "region" {
  type    = string
  default = "eu-west-1"
}

variable "name" {
  type    = string
  default = "harbour"
}

variable "vpc_cidr" {
  type    = string
  default = "10.20.0.0/16"
}

locals {
  zones = ["a", "b"]
  tags  = { Project = var.name, ManagedBy = "terraform" }
}
