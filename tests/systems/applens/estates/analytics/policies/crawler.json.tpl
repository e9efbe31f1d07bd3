{
  "Version": "2012-10-17",
  "Statement": [
    {"Effect": "Allow", "Action": "glue:*", "Resource": "*"},
    {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "${bucket}/*"}
  ]
}
