// OBJ, PLY, PCD, LAS and plain lists of points, read into arrays that three.js takes:
// {positions, colors?, normals?, index?, isSoup?}. `isSoup`: each three positions are a triangle.
// Colors are linear, from 0 to 1. Large clouds are thinned.

const POINTS_MAX = 6e6;

function text(buffer) {
  return new TextDecoder().decode(buffer);
}

/** From the sRGB of a byte or a fraction to linear light. */
function linear(value) {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
const LINEAR = Float32Array.from({ length: 256 }, (_, at) => linear(at / 255));

class Cloud {
  constructor(count) {
    this.step = Math.max(1, Math.ceil(count / POINTS_MAX));
    const kept = Math.ceil(count / this.step);
    this.positions = new Float32Array(kept * 3);
    this.colors = null;
    this.origin = null;
  }

  /** Coordinates on a map are large: single precision is enough only near the first point. */
  set(at, x, y, z) {
    this.origin ??= Math.max(Math.abs(x), Math.abs(y)) > 1e5 ? [x, y, z] : [0, 0, 0];
    const place = (at / this.step) * 3;
    this.positions[place] = x - this.origin[0];
    this.positions[place + 1] = y - this.origin[1];
    this.positions[place + 2] = z - this.origin[2];
  }

  color(at, red, green, blue) {
    this.colors ??= new Float32Array(this.positions.length).fill(1);
    this.colors.set([red, green, blue], (at / this.step) * 3);
  }

  content() {
    return { positions: this.positions, colors: this.colors };
  }
}

// -- OBJ

function readObj(buffer) {
  const vertices = [];
  const tints = [];
  const index = [];
  for (const line of text(buffer).split("\n")) {
    if (line.startsWith("v ")) {
      const [x, y, z, red, green, blue] = line.slice(2).trim().split(/\s+/).map(Number);
      vertices.push(x, y, z);
      if (blue !== undefined) tints.push(linear(red), linear(green), linear(blue));
    } else if (line.startsWith("f ")) {
      const count = vertices.length / 3;
      const corners = line.slice(2).trim().split(/\s+/).map((each) => parseInt(each, 10));
      const places = corners.map((each) => (each < 0 ? count + each : each - 1));
      for (let at = 2; at < places.length; at++) index.push(places[0], places[at - 1], places[at]);
    }
  }
  const colors = tints.length === vertices.length && tints.length ? Float32Array.from(tints) : null;
  const positions = Float32Array.from(vertices);
  if (!index.length) return { positions, colors };
  return { positions, colors, index: checkedIndex(index, positions.length / 3) };
}

function checkedIndex(index, count) {
  const checked = Uint32Array.from(index);
  if (checked.some((each) => each >= count)) throw new Error("a face names a vertex that is missing");
  return checked;
}

// -- PLY

const PLY_TYPES = {
  char: "Int8", int8: "Int8", uchar: "Uint8", uint8: "Uint8",
  short: "Int16", int16: "Int16", ushort: "Uint16", uint16: "Uint16",
  int: "Int32", int32: "Int32", uint: "Uint32", uint32: "Uint32",
  float: "Float32", float32: "Float32", double: "Float64", float64: "Float64",
};
const BYTES = { Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Float32: 4, Float64: 8 };

function readPly(buffer) {
  const head = plyHead(buffer);
  const next = head.format === "ascii" ? wordReader(buffer, head.end) : byteReader(buffer, head);
  const index = [];
  let content = null;
  for (const element of head.elements) {
    if (element.name === "vertex") content = plyVertices(element, next);
    else plyFaces(element, next, element.name === "face" ? index : []);
  }
  if (!content) throw new Error("the file has no vertices");
  if (index.length) content.index = checkedIndex(index, content.positions.length / 3);
  return content;
}

function plyHead(buffer) {
  const start = text(buffer.slice(0, 65536));
  const found = /^end_header\r?\n/m.exec(start);
  if (!start.startsWith("ply") || !found) throw new Error("it does not begin as a PLY file");
  const head = { format: "ascii", elements: [], end: found.index + found[0].length };
  for (const line of start.slice(0, found.index).split(/\r?\n/)) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "format") head.format = words[1];
    if (words[0] === "element") {
      head.elements.push({ name: words[1], count: Number(words[2]), properties: [] });
    }
    if (words[0] === "property") {
      const isList = words[1] === "list";
      head.elements.at(-1).properties.push({
        name: words.at(-1),
        type: PLY_TYPES[isList ? words[3] : words[1]],
        countType: isList ? PLY_TYPES[words[2]] : null,
      });
    }
  }
  return head;
}

function wordReader(buffer, start) {
  const words = text(buffer.slice(start)).split(/\s+/);
  let at = words[0] === "" ? 1 : 0;
  return () => Number(words[at++]);
}

function byteReader(buffer, head) {
  const view = new DataView(buffer);
  const isLittle = head.format === "binary_little_endian";
  let at = head.end;
  return (type) => {
    const value = view[`get${type}`](at, isLittle);
    at += BYTES[type];
    return value;
  };
}

function plyVertices({ count, properties }, next) {
  const positions = new Float32Array(count * 3);
  const place = (names) => names.map((name) => properties.findIndex((each) => each.name === name));
  const tints = [["red", "green", "blue"], ["r", "g", "b"], ["diffuse_red", "diffuse_green", "diffuse_blue"]]
    .map(place).find((each) => !each.includes(-1));
  const normal = place(["nx", "ny", "nz"]);
  const hasNormals = !normal.includes(-1);
  const [x, y, z] = place(["x", "y", "z"]);
  const colors = tints ? new Float32Array(count * 3) : null;
  const normals = hasNormals ? new Float32Array(count * 3) : null;
  const isByte = tints && properties[tints[0]].type === "Uint8";
  const row = new Float64Array(properties.length);
  for (let at = 0; at < count; at++) {
    properties.forEach((property, number) => {
      if (!property.countType) row[number] = next(property.type);
      else for (let left = next(property.countType); left > 0; left--) next(property.type);
    });
    positions.set([row[x], row[y], row[z]], at * 3);
    if (normals) normals.set(normal.map((each) => row[each]), at * 3);
    if (colors) colors.set(tints.map((each) => (isByte ? LINEAR[row[each]] : linear(row[each]))), at * 3);
  }
  return { positions, colors, normals };
}

function plyFaces({ count, properties }, next, index) {
  for (let at = 0; at < count; at++) {
    for (const { name, type, countType } of properties) {
      if (!countType) {
        next(type);
        continue;
      }
      const corners = Array.from({ length: next(countType) }, () => next(type));
      if (!name.startsWith("vertex_ind")) continue;
      for (let n = 2; n < corners.length; n++) index.push(corners[0], corners[n - 1], corners[n]);
    }
  }
}

// -- PCD

function readPcd(buffer) {
  const start = text(buffer.slice(0, 65536));
  const found = /^DATA\s+(\w+)\r?\n/im.exec(start);
  if (!found) throw new Error("it does not begin as a PCD file");
  const head = {};
  for (const line of start.slice(0, found.index).split(/\r?\n/)) {
    const [name, ...values] = line.trim().split(/\s+/);
    head[name.toUpperCase()] = values;
  }
  const count = Number(head.POINTS?.[0] ?? head.WIDTH[0] * (head.HEIGHT?.[0] ?? 1));
  const fields = pcdFields(head);
  const end = found.index + found[0].length;
  const kind = found[1].toLowerCase();
  if (kind === "ascii") return pcdRows(count, fields, textRows(buffer, end, fields));
  const stride = fields.reduce((sum, field) => sum + field.bytes * field.count, 0);
  if (kind === "binary") return pcdRows(count, fields, recordRows(buffer, end, fields, stride));
  const sizes = new DataView(buffer, end, 8);
  const packed = new Uint8Array(buffer, end + 8, sizes.getUint32(0, true));
  const bytes = unpacked(packed, sizes.getUint32(4, true));
  return pcdRows(count, fields, columnRows(bytes.buffer, count, fields));
}

function pcdFields(head) {
  const kinds = { F4: "Float32", F8: "Float64", U1: "Uint8", U2: "Uint16", U4: "Uint32", I1: "Int8", I2: "Int16", I4: "Int32" };
  let offset = 0;
  return head.FIELDS.map((name, at) => {
    const bytes = Number(head.SIZE[at]);
    const count = Number(head.COUNT?.[at] ?? 1);
    const field = { name, bytes, count, offset, type: kinds[`${head.TYPE[at]}${bytes}`] };
    offset += bytes * count;
    return field;
  });
}

function pcdRows(count, fields, valueAt) {
  const cloud = new Cloud(count);
  const place = (name) => fields.findIndex((field) => field.name === name);
  const [x, y, z] = ["x", "y", "z"].map(place);
  const tint = [place("rgb"), place("rgba")].find((each) => each >= 0);
  const bits = new DataView(new ArrayBuffer(4));
  for (let at = 0; at < count; at += cloud.step) {
    cloud.set(at, valueAt(at, x), valueAt(at, y), valueAt(at, z));
    if (tint === undefined) continue;
    const packed = valueAt(at, tint);
    if (fields[tint].type === "Float32") bits.setFloat32(0, packed);
    else bits.setUint32(0, packed);
    cloud.color(at, LINEAR[bits.getUint8(1)], LINEAR[bits.getUint8(2)], LINEAR[bits.getUint8(3)]);
  }
  return cloud.content();
}

function textRows(buffer, end, fields) {
  const rows = text(buffer.slice(end)).split(/\r?\n/);
  const column = [];
  for (const field of fields) column.push((column.at(-1) ?? 0) + (column.length ? fields[column.length - 1].count : 0));
  let known = -1;
  let words = [];
  return (at, field) => {
    if (at !== known) [known, words] = [at, (rows[at] ?? "").trim().split(/\s+/)];
    return Number(words[column[field]]);
  };
}

function recordRows(buffer, end, fields, stride) {
  const view = new DataView(buffer, end);
  return (at, field) => view[`get${fields[field].type}`](at * stride + fields[field].offset, true);
}

function columnRows(buffer, count, fields) {
  const view = new DataView(buffer);
  return (at, field) => {
    const { type, bytes, offset } = fields[field];
    return view[`get${type}`](offset * count + at * bytes * fields[field].count, true);
  };
}

/** LZF, as PCD packs its columns. */
function unpacked(packed, size) {
  const bytes = new Uint8Array(size);
  let from = 0;
  let to = 0;
  while (from < packed.length) {
    const control = packed[from++];
    if (control < 32) {
      for (let left = control + 1; left > 0; left--) bytes[to++] = packed[from++];
      continue;
    }
    let length = control >> 5;
    if (length === 7) length += packed[from++];
    let back = to - ((control & 31) << 8) - packed[from++] - 1;
    if (back < 0) throw new Error("its packed points cannot be read");
    for (let left = length + 2; left > 0; left--) bytes[to++] = bytes[back++];
  }
  return bytes;
}

// -- LAS

const LAS_COLOR_AT = { 2: 20, 3: 28, 5: 28, 7: 30, 8: 30, 10: 30 };

function readLas(buffer) {
  const view = new DataView(buffer);
  if (text(buffer.slice(0, 4)) !== "LASF") throw new Error("it does not begin as a LAS file");
  const format = view.getUint8(104);
  if (format & 0x80) throw new Error("its points are packed (LAZ)");
  const start = view.getUint32(96, true);
  const stride = view.getUint16(105, true);
  const has64 = view.getUint8(25) >= 4 && view.getUint16(94, true) >= 375;
  const count = view.getUint32(107, true) || (has64 ? Number(view.getBigUint64(247, true)) : 0);
  const scale = [131, 139, 147].map((at) => view.getFloat64(at, true));
  const offset = [155, 163, 171].map((at) => view.getFloat64(at, true));
  const cloud = new Cloud(count);
  const colorAt = LAS_COLOR_AT[format];
  const divisor = colorAt === undefined ? 1 : lasDivisor(view, start + colorAt, stride, count);
  for (let at = 0; at < count; at += cloud.step) {
    const place = start + at * stride;
    const [x, y, z] = [0, 4, 8].map((each, axis) => view.getInt32(place + each, true) * scale[axis] + offset[axis]);
    cloud.set(at, x, y, z);
    if (colorAt !== undefined) {
      const tint = [0, 2, 4].map((each) => LINEAR[Math.min(255, view.getUint16(place + colorAt + each, true) / divisor) | 0]);
      cloud.color(at, ...tint);
    }
  }
  return cloud.content();
}

/** Some programs write colors of 8 bits into the fields of 16. */
function lasDivisor(view, start, stride, count) {
  for (let at = 0; at < Math.min(count, 1000); at++) {
    if (view.getUint16(start + at * stride, true) > 255) return 256;
  }
  return 1;
}

// -- lists of points

function readPoints(buffer) {
  const rows = text(buffer).split(/\r?\n/).filter((row) => /^\s*[-+\d.]/.test(row));
  const split = (row) => row.trim().split(/[\s,;]+/).map(Number);
  if (rows.length && split(rows[0]).length < 3) rows.shift(); // the count, in PTS
  const cloud = new Cloud(rows.length);
  for (let at = 0; at < rows.length; at += cloud.step) {
    const values = split(rows[at]);
    cloud.set(at, values[0], values[1], values[2]);
    const tint = values.length >= 6 ? values.slice(-3) : null;
    if (tint?.every((each) => each >= 0 && each <= 255)) {
      cloud.color(at, ...tint.map((each) => LINEAR[each | 0]));
    }
  }
  return cloud.content();
}

export const READERS = {
  obj: readObj,
  ply: readPly,
  pcd: readPcd,
  las: readLas,
  xyz: readPoints,
  pts: readPoints,
  asc: readPoints,
};
