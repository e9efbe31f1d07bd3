variable "name" {
  type = string
}
variable "ingress" {
  type = list(string)
}
variable "port" {
  type    = number
  default = 8443
}
variable "encrypted" {
  type    = bool
  default = false
}

resource "aws_security_group" "this" { # finds NET-02 module.query["blue"], NET-02 module.query["green"]
  name = var.name
  ingress {
    from_port   = var.port
    to_port     = var.port
    protocol    = "tcp"
    cidr_blocks = var.ingress
  }
}

resource "aws_ebs_volume" "this" { # finds DISK-01 module.ingest, DISK-01 module.query["blue"], DISK-01 module.query["green"]
  availability_zone = "eu-west-1a"
  size              = 100
  encrypted         = var.encrypted
}
