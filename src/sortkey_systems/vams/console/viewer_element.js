// The viewer as a component: a frame with the file, what is known of it, and its buttons.

import { KINDS } from "vams-viewer";

export default {
  template: `
    <figure class="va-viewer" :data-kind="kind">
      <div ref="host" class="va-stage" :class="'va-' + kind"></div>
      <div v-if="problem" class="va-problem" role="alert">{{ problem }}</div>
      <div v-else-if="isLoading" class="va-problem" role="status">Loading …</div>
      <figcaption>
        <span class="va-facts">{{ facts.join(" · ") }}</span>
        <span class="va-tools">
          <button v-for="tool in tools" :key="tool.name" type="button" @click="run(tool.name)"
            :title="tool.title" :aria-label="tool.title">
            <i class="q-icon material-icons" aria-hidden="true">{{ tool.icon }}</i>
          </button>
        </span>
      </figcaption>
    </figure>`,
  props: { url: String, kind: String, format: String, name: String, size: Number },
  data() {
    return { facts: [], problem: "", isLoading: true };
  },
  computed: {
    tools() {
      return TOOLS[this.kind] ?? FULL;
    },
  },
  async mounted() {
    const options = {
      url: this.url,
      format: this.format,
      name: this.name,
      size: this.size,
      onFacts: (facts) => {
        this.facts = facts.filter(Boolean);
        this.isLoading = false;
      },
      onProblem: (text) => (this.problem = text),
    };
    try {
      const view = await KINDS[this.kind](this.$refs.host, options);
      if (this.isGone) view.dispose();
      else this.view = view;
      if (this.kind === "pdf") this.isLoading = false;
    } catch (error) {
      this.problem = `This file cannot be shown: ${error.message ?? error}`;
    }
  },
  beforeUnmount() {
    this.isGone = true;
    this.view?.dispose();
  },
  methods: {
    run(name) {
      if (name === "full") this.$el.requestFullscreen?.();
      else this.view?.actions?.[name]?.();
    },
  },
};

const FULL = [{ name: "full", icon: "fullscreen", title: "Full screen" }];
const TOOLS = {
  image: [
    { name: "zoomOut", icon: "zoom_out", title: "Zoom out" },
    { name: "zoomIn", icon: "zoom_in", title: "Zoom in" },
    { name: "fit", icon: "fit_screen", title: "Fit" },
    ...FULL,
  ],
  model: [
    { name: "turn", icon: "360", title: "Turn" },
    { name: "wireframe", icon: "grid_4x4", title: "Wireframe" },
    { name: "grid", icon: "grid_on", title: "Floor" },
    { name: "upAxis", icon: "swap_vert", title: "Other axis up" },
    { name: "fit", icon: "fit_screen", title: "Fit" },
    ...FULL,
  ],
};
