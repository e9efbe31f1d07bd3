"""Recordings of sessions: what the holder writes while a browser runs, and what is made of it
afterwards.

    frames.py     the folder format: JPEG frames and their times, one folder per page
    recorder.py   screencast events in, frames on disk out; runs inside the holder
    video.py      HLS and MP4, where ffmpeg is installed
    rrweb.py      the same frames as rrweb events
    replays.py    what the routes answer with
    routes.py     the routes

A recording folder has a folder per page, named "0", "1", … in the order in which the pages were
opened:

    page.json      {"pageId": "0", "targetId": "…", "startTimeMs": 1763424000000}
    frames.mjpeg   the JPEG images one after the other
    index.jsonl    {"t": ms, "at": offset, "size": bytes, "w": width, "h": height} for a frame,
                   {"t": ms, "url": "…"} when the page goes elsewhere,
                   {"t": ms, "end": "closed"} at the end

A frame is written before its line. A line that points behind the end of the frames is what a crash
left: it is ignored.
"""
