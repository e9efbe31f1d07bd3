// Video, sound and PDF, by what the browser brings.

const DOCUMENT_BYTES_MAX = 200e6;

function element(name, attributes, host) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  host.replaceChildren(made);
  return made;
}

export function showVideo(host, { url, name, onFacts, onProblem }) {
  const video = element("video", { src: url, controls: "", preload: "metadata", "aria-label": name }, host);
  video.addEventListener("loadedmetadata", () => {
    onFacts([`${video.videoWidth} × ${video.videoHeight}`, seconds(video.duration)]);
  });
  video.addEventListener("error", () => onProblem("The browser cannot play this video."));
  return { dispose: () => stop(video) };
}

export function showSound(host, { url, name, onFacts, onProblem }) {
  const sound = element("audio", { src: url, controls: "", preload: "metadata", "aria-label": name }, host);
  sound.addEventListener("loadedmetadata", () => onFacts([seconds(sound.duration)]));
  sound.addEventListener("error", () => onProblem("The browser cannot play this sound."));
  return { dispose: () => stop(sound) };
}

/** A PDF. Its bytes come as a blob: with the headers that keep uploads from running scripts, the
 * browser would not show it in a frame. The type is ours, so that nothing else can be in there. */
export async function showDocument(host, { url, name, size, onProblem }) {
  if (size > DOCUMENT_BYTES_MAX) {
    onProblem("This document is too large to show here. Download it instead.");
    return { dispose() {} };
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const blob = new Blob([await answer.arrayBuffer()], { type: "application/pdf" });
  const address = URL.createObjectURL(blob);
  element("iframe", { src: address, title: name }, host);
  return { dispose: () => URL.revokeObjectURL(address) };
}

function stop(player) {
  player.pause();
  player.removeAttribute("src");
  player.load();
}

function seconds(duration) {
  if (!Number.isFinite(duration)) return "";
  const whole = Math.round(duration);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}
