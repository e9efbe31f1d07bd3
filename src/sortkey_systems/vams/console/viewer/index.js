// What the viewer component draws with: one function per kind of file. Each fills a host element,
// reports facts or an error, and returns an object with `dispose`.
// Models come with three.js, which is large, and is loaded when the first one is shown.

import { showImage } from "./image.js";
import { showDocument, showSound, showVideo } from "./media.js";

async function showModel(host, options) {
  const { ModelView } = await import("./model.js");
  const view = new ModelView(host, options);
  await view.load();
  return view;
}

export const KINDS = {
  image: showImage,
  video: showVideo,
  audio: showSound,
  pdf: showDocument,
  model: showModel,
};
