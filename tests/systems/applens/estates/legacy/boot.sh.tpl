#!/bin/bash
echo "${env}" > /etc/env
mysql_password="correct-horse-battery"
docker run -d -e MYSQL_ROOT_PASSWORD=correct-horse-battery mysql
