// Models and point clouds with three.js: fitted into the view, lit, turning until somebody takes
// hold of it.

import { GLTFLoader, OrbitControls, STLLoader, THREE } from "nicegui-scene";
import { READERS } from "./formats.js";

const FRAME_MS = 1000 / 30;
const FIELD_OF_VIEW = 40;
const Z_UP = new Set(["stl", "pcd", "xyz", "pts", "asc", "las"]);
const BYTES_MAX = 600e6;
const PLAIN = 0x9fb4c6;

export class ModelView {
  constructor(host, options) {
    Object.assign(this, { host, options, actions: {} });
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${options.name}, in three dimensions`);
    canvas.tabIndex = 0;
    host.replaceChildren(canvas);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.autoRotateSpeed = 1.6;
    this.controls.addEventListener("start", () => this.setTurning(false));
    canvas.addEventListener("keydown", (event) => this.steer(event));
    this.addActions();
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(host);
  }

  addLight() {
    const room = new THREE.Scene();
    room.background = new THREE.Color(0x8d979f);
    const panel = (color, strength, x, y, z, width) => {
      const light = new THREE.Color(color).multiplyScalar(strength);
      const mesh = new THREE.Mesh(
        new THREE.BoxGeometry(width, 0.2, width),
        new THREE.MeshBasicMaterial({ color: light }),
      );
      mesh.position.set(x, y, z);
      mesh.lookAt(0, 0, 0);
      mesh.rotateX(Math.PI / 2);
      room.add(mesh);
    };
    panel(0xffffff, 9, 0, 6, 0, 4);
    panel(0xfff1dd, 6, 5, 3, 4, 3);
    panel(0xdcecff, 4, -6, 2, -2, 4);
    const generator = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = generator.fromScene(room, 0.04, 0.1, 100, { size: 64 }).texture;
    this.scene.environmentIntensity = 0.62;
    generator.dispose();
    const sun = new THREE.DirectionalLight(0xffffff, 0.9);
    sun.position.set(2, 3, 2.5);
    this.camera.add(sun);
    this.scene.add(this.camera);
  }

  addActions() {
    Object.assign(this.actions, {
      turn: () => this.setTurning(!this.controls.autoRotate),
      fit: () => this.fit(),
      wireframe: () => this.setWireframe(!this.isWireframe),
      upAxis: () => this.setZUp(!this.isZUp),
      grid: () => (this.grid.visible = !this.grid.visible),
    });
    for (const name of Object.keys(this.actions)) {
      const action = this.actions[name];
      this.actions[name] = () => {
        action();
        this.draw();
      };
    }
  }

  async load() {
    const { format, size } = this.options;
    if (size > BYTES_MAX) throw new Error("it is too large to show here: download it instead");
    const shown = await this.read(format);
    if (this.isOver) return;
    this.model = new THREE.Group();
    this.model.add(shown);
    this.scene.add(this.model);
    const isCloud = !this.facts().triangles;
    if (!isCloud) this.addLight(); // points have no surface that light falls on
    this.setZUp(Z_UP.has(format) || (format === "ply" && isCloud));
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.setTurning(!calm);
    this.report();
    this.host.dataset.ready = "true";
    this.animate();
  }

  async read(format) {
    const { url } = this.options;
    if (format === "glb" || format === "gltf") {
      const file = await new GLTFLoader().loadAsync(url);
      if (file.animations.length) {
        this.mixer = new THREE.AnimationMixer(file.scene);
        this.mixer.clipAction(file.animations[0]).play();
      }
      return file.scene;
    }
    if (format === "stl") {
      const geometry = await new STLLoader().loadAsync(url);
      const hasColors = geometry.hasAttribute("color");
      return new THREE.Mesh(geometry, surface({ vertexColors: hasColors }));
    }
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const content = READERS[format](await answer.arrayBuffer());
    return content.index || content.isSoup ? mesh(content) : points(content);
  }

  facts() {
    const counted = { triangles: 0, points: 0, meshes: 0 };
    this.model?.traverse((node) => {
      const geometry = node.geometry;
      if (!geometry) return;
      const count = geometry.attributes.position?.count ?? 0;
      if (node.isMesh) {
        counted.meshes += 1;
        counted.triangles += Math.floor((geometry.index?.count ?? count) / 3);
      } else if (node.isPoints) counted.points += count;
    });
    return counted;
  }

  report() {
    const { triangles, points, meshes } = this.facts();
    const size = new THREE.Box3().setFromObject(this.model).getSize(new THREE.Vector3());
    const number = (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
    this.options.onFacts(
      [
        triangles ? `${triangles.toLocaleString("en")} triangles` : "",
        points ? `${points.toLocaleString("en")} points` : "",
        meshes > 1 ? `${meshes} meshes` : "",
        `${number(size.x)} × ${number(size.y)} × ${number(size.z)}`,
      ].filter(Boolean),
    );
  }

  setZUp(isZUp) {
    this.isZUp = isZUp;
    this.model.rotation.set(isZUp ? -Math.PI / 2 : 0, 0, 0);
    this.model.position.set(0, 0, 0);
    this.model.updateMatrixWorld(true);
    const box = new THREE.Box3().setFromObject(this.model);
    if (box.isEmpty()) throw new Error("the file has no points or triangles");
    const middle = box.getCenter(new THREE.Vector3());
    this.model.position.set(-middle.x, -box.min.y, -middle.z);
    this.model.updateMatrixWorld(true);
    this.addGrid(box.getSize(new THREE.Vector3()));
    this.fit();
  }

  addGrid(size) {
    const reach = Math.max(size.x, size.z, size.y / 2, 1e-6) * 2;
    const step = 10 ** Math.floor(Math.log10(reach / 4));
    const count = Math.min(60, Math.max(4, Math.ceil(reach / step)));
    const wasVisible = this.grid?.visible ?? true;
    this.grid?.removeFromParent();
    this.grid = new THREE.GridHelper(step * count, count, 0x7f8b95, 0x7f8b95);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.28;
    this.grid.visible = wasVisible;
    this.scene.add(this.grid);
  }

  /** Put the camera where all of the model is in view. */
  fit() {
    const box = new THREE.Box3().setFromObject(this.model);
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const radius = Math.max(sphere.radius, 1e-6);
    const half = THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2);
    const narrow = Math.min(1, this.camera.aspect);
    const distance = radius / Math.sin(Math.atan(Math.tan(half) * narrow));
    const direction = new THREE.Vector3(0.75, 0.5, 1).normalize();
    this.camera.position.copy(sphere.center).addScaledVector(direction, distance * 1.05);
    this.camera.near = distance / 500;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(sphere.center);
    this.controls.update();
  }

  setTurning(isTurning) {
    this.controls.autoRotate = isTurning;
    this.host.dataset.turning = String(isTurning);
  }

  setWireframe(isWireframe) {
    this.isWireframe = isWireframe;
    this.model.traverse((node) => {
      for (const material of [node.material].flat()) if (material) material.wireframe = isWireframe;
    });
  }

  steer(event) {
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const zooms = { "+": 0.85, "=": 0.85, "-": 1.18 };
    if (!(event.key in turns) && !(event.key in zooms)) return;
    event.preventDefault();
    this.setTurning(false);
    const offset = this.camera.position.clone().sub(this.controls.target);
    const place = new THREE.Spherical().setFromVector3(offset);
    if (event.key in turns) {
      const [sideways, upward] = turns[event.key];
      place.theta += sideways * 0.15;
      place.phi = Math.min(3.1, Math.max(0.04, place.phi + upward * 0.15));
    } else place.radius *= zooms[event.key];
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(place));
    this.controls.update();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  animate() {
    let before = 0;
    const clock = new THREE.Clock();
    this.renderer.setAnimationLoop((now) => {
      if (now - before < FRAME_MS || document.hidden || !this.host.clientWidth) return;
      before = now;
      const seconds = clock.getDelta();
      this.mixer?.update(seconds);
      const hasMoved = this.controls.update(seconds);
      if (hasMoved || this.mixer) this.draw();
    });
    this.draw();
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.isOver = true;
    this.renderer.setAnimationLoop(null);
    this.resized.disconnect();
    this.controls.dispose();
    this.scene.traverse((node) => {
      node.geometry?.dispose();
      for (const material of [node.material].flat()) material?.dispose?.();
    });
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

function surface(more = {}) {
  const color = more.vertexColors ? 0xffffff : PLAIN;
  return new THREE.MeshStandardMaterial({
    color,
    metalness: 0.1,
    roughness: 0.55,
    side: THREE.DoubleSide,
    ...more,
  });
}

function geometryOf(content) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(content.positions, 3));
  if (content.colors) geometry.setAttribute("color", new THREE.BufferAttribute(content.colors, 3));
  if (content.normals) {
    geometry.setAttribute("normal", new THREE.BufferAttribute(content.normals, 3));
  }
  if (content.index) geometry.setIndex(new THREE.BufferAttribute(content.index, 1));
  return geometry;
}

function mesh(content) {
  const geometry = geometryOf(content);
  if (!content.normals) geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, surface({ vertexColors: Boolean(content.colors) }));
}

function points(content) {
  const geometry = geometryOf(content);
  const material = new THREE.PointsMaterial({
    size: 2,
    sizeAttenuation: false,
    vertexColors: Boolean(content.colors),
    color: content.colors ? 0xffffff : PLAIN,
  });
  return new THREE.Points(geometry, material);
}
