// A place to drop files and folders. The page's server starts and completes uploads; the bytes go
// from here to the links that it names, part by part, without passing through the page.

const AT_ONCE = 4;
const ATTEMPTS = 4;

export default {
  template: `
    <div class="va-drop" :class="{'va-over': isOver}" @dragenter.prevent="isOver = true"
      @dragover.prevent="isOver = true" @dragleave.prevent="isOver = false" @drop.prevent="dropped">
      <i class="q-icon material-icons" aria-hidden="true">cloud_upload</i>
      <div v-if="!total" class="va-drop-text">
        Drop files or a folder here, or
        <button type="button" @click="$refs.files.click()">choose files</button> or
        <button type="button" @click="$refs.folder.click()">a folder</button>
      </div>
      <div v-else class="va-drop-text" role="status">
        <span>{{ message }}</span>
        <div class="va-bar" role="progressbar" aria-label="Upload" :aria-valuenow="percent"
          aria-valuemin="0" aria-valuemax="100"><i :style="{width: percent + '%'}"></i></div>
      </div>
      <input ref="files" type="file" multiple hidden aria-label="Files to upload" @change="picked">
      <input ref="folder" type="file" webkitdirectory hidden aria-label="Folder to upload" @change="picked">
    </div>`,
  data() {
    return { isOver: false, total: 0, sent: 0, count: 0, done: 0, isClosing: false };
  },
  computed: {
    percent() {
      return this.total ? Math.min(100, Math.floor((100 * this.sent) / this.total)) : 0;
    },
    message() {
      const files = this.count === 1 ? "1 file" : `${this.count} files`;
      return `${this.isClosing ? "Finishing" : "Uploading"} ${files}, ${this.percent} %`;
    },
  },
  methods: {
    async dropped(event) {
      this.isOver = false;
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
      const found = [];
      for (const entry of entries.filter(Boolean)) await walk(entry, "", found);
      this.choose(found);
    },
    picked(event) {
      const files = [...event.target.files];
      this.choose(files.map((file) => ({ file, path: file.webkitRelativePath || file.name })));
      event.target.value = "";
    },
    choose(found) {
      if (!found.length || this.total) return;
      this.chosen = found;
      this.count = found.length;
      this.total = found.reduce((sum, each) => sum + each.file.size, 0) || 1;
      this.sent = 0;
      this.isClosing = false;
      this.$emit("chosen", found.map(({ path, file }) => [path, file.size]));
    },
    /** Send the parts of some files: [{at, partBytes, urls}]. Then say what was sent. */
    async send(batch, plan) {
      const jobs = plan.flatMap((file) =>
        file.urls.map((url, number) => ({ file, url, number })),
      );
      const results = new Map(plan.map((file) => [file.at, { parts: [], problem: "" }]));
      const worker = async () => {
        for (let job = jobs.shift(); job; job = jobs.shift()) {
          const result = results.get(job.file.at);
          if (result.problem) continue;
          try {
            const tag = await this.part(job);
            result.parts.push({ PartNumber: job.number + 1, ETag: tag });
          } catch (error) {
            result.problem = String(error.message ?? error);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const files = [...results].map(([at, { parts, problem }]) => ({
        at,
        problem,
        parts: parts.sort((one, other) => one.PartNumber - other.PartNumber),
      }));
      this.isClosing = this.sent >= this.total;
      this.$emit("sent", { batch, files });
    },
    async part({ file, url, number }) {
      const whole = this.chosen[file.at].file;
      const bytes = whole.slice(number * file.partBytes, (number + 1) * file.partBytes);
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.put(url, bytes);
        } catch (error) {
          if (attempt === ATTEMPTS) throw error;
          await new Promise((resume) => setTimeout(resume, 500 * 2 ** attempt));
        }
      }
    },
    put(url, bytes) {
      return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        let counted = 0;
        const count = (loaded) => {
          this.sent += loaded - counted;
          counted = loaded;
        };
        request.open("PUT", url);
        request.upload.onprogress = (event) => count(event.loaded);
        request.onload = () => {
          if (request.status !== 200) {
            count(0);
            reject(new Error(`the server answered ${request.status}`));
            return;
          }
          count(bytes.size);
          resolve((request.getResponseHeader("ETag") ?? "").replaceAll('"', ""));
        };
        request.onerror = () => {
          count(0);
          reject(new Error("the connection was lost"));
        };
        request.send(bytes);
      });
    },
    finish() {
      Object.assign(this, { total: 0, sent: 0, count: 0, chosen: null, isClosing: false });
    },
  },
};

/** All files of a dropped entry, with their paths. */
async function walk(entry, above, found) {
  const path = above ? `${above}/${entry.name}` : entry.name;
  if (entry.isFile) {
    found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return;
    for (const each of entries) await walk(each, path, found);
  }
}
