// A picture that can be zoomed with the wheel, two fingers, the keyboard or buttons, and dragged.

const SCALE_MAX = 32;
const STEP = 1.3;

export function showImage(host, { url, name, onFacts, onProblem }) {
  const picture = document.createElement("img");
  picture.alt = name;
  picture.draggable = false;
  host.replaceChildren(picture);
  host.tabIndex = 0;
  const view = { scale: 1, x: 0, y: 0 };
  const pointers = new Map();
  let fitting = 1;

  function draw() {
    const scale = view.scale * fitting;
    picture.style.transform = `translate(${view.x}px, ${view.y}px) scale(${scale})`;
    picture.style.imageRendering = scale > 3 ? "pixelated" : "auto";
  }

  function fit() {
    const { clientWidth: width, clientHeight: height } = host;
    fitting = Math.min(width / picture.naturalWidth, height / picture.naturalHeight, 4) || 1;
    Object.assign(view, { scale: 1, x: 0, y: 0 });
    draw();
  }

  /** Zoom about a point, measured from the middle of the host. */
  function zoom(factor, x = 0, y = 0) {
    const scale = Math.min(SCALE_MAX / Math.min(fitting, 1), Math.max(1, view.scale * factor));
    const ratio = scale / view.scale;
    view.x = scale === 1 ? 0 : x - (x - view.x) * ratio;
    view.y = scale === 1 ? 0 : y - (y - view.y) * ratio;
    view.scale = scale;
    draw();
  }

  function fromMiddle(event) {
    const box = host.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  }

  function move(event) {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const others = [...pointers.values()].filter((each) => each !== before);
    pointers.set(event.pointerId, event);
    if (others.length) {
      const [other] = others;
      const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
      const is = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
      if (was > 0) zoom(is / was, ...fromMiddle(event));
    } else if (view.scale > 1) {
      view.x += event.clientX - before.clientX;
      view.y += event.clientY - before.clientY;
      draw();
    }
  }

  const keys = { "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: fit };
  const listeners = {
    wheel: (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), ...fromMiddle(event));
    },
    pointerdown: (event) => {
      host.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    },
    pointermove: move,
    pointerup: (event) => pointers.delete(event.pointerId),
    pointercancel: (event) => pointers.delete(event.pointerId),
    dblclick: (event) => (view.scale > 1 ? fit() : zoom(4, ...fromMiddle(event))),
    keydown: (event) => keys[event.key]?.(),
  };
  for (const [kind, listener] of Object.entries(listeners)) {
    host.addEventListener(kind, listener, { passive: false });
  }
  const resized = new ResizeObserver(fit);
  picture.addEventListener("load", () => {
    resized.observe(host);
    if (picture.naturalWidth) onFacts([`${picture.naturalWidth} × ${picture.naturalHeight} pixels`]);
    host.dataset.ready = "true";
  });
  picture.addEventListener("error", () => onProblem("The browser cannot show this picture."));
  picture.src = url;

  return {
    actions: { zoomIn: () => zoom(STEP), zoomOut: () => zoom(1 / STEP), fit },
    dispose() {
      resized.disconnect();
      for (const [kind, listener] of Object.entries(listeners)) {
        host.removeEventListener(kind, listener);
      }
      host.removeAttribute("tabindex");
    },
  };
}
