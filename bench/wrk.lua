-- Sends ready-made bodies, one after the other, each connection's thread from its own place.
-- Arguments after "--": the file of bodies (one a line), the operation, the Authorization header.

local requests, position = {}, 0

function init(arguments)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/x-amz-json-1.0"
  wrk.headers["X-Amz-Target"] = "DynamoDB_20120810." .. arguments[2]
  wrk.headers["X-Amz-Date"] = "20260101T000000Z"
  wrk.headers["Authorization"] = arguments[3]
  for line in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format(nil, "/", nil, line)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency, _)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "failed": %d, "p50_ms": %.3f, "p99_ms": %.3f}\n',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
