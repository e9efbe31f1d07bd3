# Saved in the middle of a sentence: a run of it fails, and says where.
resource "aws_s3_bucket" "reports" {
  bucket = "harbour-reports
}
