variable "rules" {
  type = map(object({ port = number, cidrs = list(string) }))
}
variable "create" {
  type    = bool
  default = true
}
resource "aws_security_group" "this" {
  count       = var.create ? 1 : 0
  name_prefix = "rules-"
}
resource "aws_security_group_rule" "this" { # finds NET-01 module.rules
  for_each          = var.create ? var.rules : {}
  type              = "ingress"
  security_group_id = one(aws_security_group.this[*].id)
  from_port         = each.value.port
  to_port           = each.value.port
  protocol          = "tcp"
  cidr_blocks       = each.value.cidrs
}
