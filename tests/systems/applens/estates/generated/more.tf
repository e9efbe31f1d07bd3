# Rules made by loops: nothing is written out.

variable "services" {
  type = map(object({
    port      = number
    public    = optional(bool, false)
    encrypted = optional(bool, true)
  }))
  default = {
    web   = { port = 443, public = true }
    admin = { port = 3389, public = true, encrypted = false }
    cache = { port = 6379 }
  }
}

locals {
  public = { for name, each in var.services : name => each if try(each.public, false) }
  rules  = flatten([for name, each in local.public : [for cidr in ["0.0.0.0/0", "::/0"] : { name = name, port = each.port, cidr = cidr }]])
}

resource "aws_security_group" "service" {
  for_each = var.services
  name     = each.key
}

resource "aws_vpc_security_group_ingress_rule" "service" { # finds NET-01 ["admin-0.0.0.0/0"], NET-01 ["admin-::/0"]
  for_each          = { for rule in local.rules : "${rule.name}-${rule.cidr}" => rule }
  security_group_id = aws_security_group.service[each.value.name].id
  from_port         = each.value.port
  to_port           = each.value.port
  ip_protocol       = "tcp"
  cidr_ipv4         = can(regex("::", each.value.cidr)) ? null : each.value.cidr
  cidr_ipv6         = can(regex("::", each.value.cidr)) ? each.value.cidr : null
}

resource "aws_ebs_volume" "service" { # finds DISK-01 ["admin"]
  for_each          = var.services
  availability_zone = "eu-west-1a"
  size              = 10
  encrypted         = lookup(each.value, "encrypted", true)
}

module "rules" {
  source = "./modules/rules"
  rules = {
    ssh = { port = 22, cidrs = ["0.0.0.0/0"] }
    dns = { port = 53, cidrs = ["10.0.0.0/8"] }
  }
}

resource "aws_efs_file_system" "service" { # finds DISK-02 ["admin"]
  for_each  = var.services
  encrypted = each.value.encrypted
}

resource "aws_lb" "service" {
  for_each = var.services
  internal = !each.value.public
}

resource "aws_lb_listener" "service" { # finds EDGE-01 ["web"], EDGE-01 ["admin"], EDGE-01 ["cache"]
  for_each          = var.services
  load_balancer_arn = aws_lb.service[each.key].arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type = "forward"
  }
}
