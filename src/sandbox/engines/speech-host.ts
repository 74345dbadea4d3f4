/**
 * Source of a worker that runs one WASI program. `workerData` is `{ program, args, file, input, output }`: the path of
 * the WebAssembly file, its arguments, the name and bytes of its input file, and the name of the file it writes. The
 * worker posts the bytes of that file, or throws an error with the program's output.
 *
 * The source is a string, so that the bundle does not need a second file. The program's two files are in memory. The
 * WASI host of Node.js would need a temporary folder for them, which would remain if the process is killed. It also
 * crashes the process on x64 Linux after a few seconds (nodejs/node#53087: compiled code calls the host unsafely).
 */
export const hostSource = String.raw`
const { readFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");

const success = 0, badDescriptor = 8, noEntry = 44, folder = 3;
const files = new Map([[workerData.file, { bytes: workerData.input, size: workerData.input.length }]]);
const open = new Map();
const printed = [];
let memory;
const view = () => new DataView(memory.buffer);
const bytesAt = (at, length) => new Uint8Array(memory.buffer, at, length);
const put32 = (at, value) => (view().setUint32(at, value, true), success);
const args = workerData.args.map((text) => Buffer.from(text + "\0"));

function buffers(list, count) {
  return Array.from({ length: count }, (_, i) =>
    bytesAt(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true)));
}
function write(handle, part) {
  const { file } = handle, end = handle.at + part.length;
  if (end > file.bytes.length) {
    const grown = new Uint8Array(Math.max(end, 2 * file.bytes.length));
    grown.set(file.bytes);
    file.bytes = grown;
  }
  file.bytes.set(part, handle.at);
  file.size = Math.max(file.size, end);
  handle.at = end;
}
function read(handle, part) {
  const got = handle.file.bytes.subarray(handle.at, Math.min(handle.file.size, handle.at + part.length));
  part.set(got);
  handle.at += got.length;
  return got.length;
}
class Exit extends Error {}
const host = {
  args_sizes_get: (count, size) => put32(count, args.length) || put32(size, Buffer.concat(args).length),
  args_get(list, at) {
    for (const [i, arg] of args.entries()) {
      put32(list + 4 * i, at);
      bytesAt(at, arg.length).set(arg);
      at += arg.length;
    }
    return success;
  },
  clock_time_get: (_clock, _precision, at) => (view().setBigUint64(at, 0n, true), success),
  fd_close: (fd) => (open.delete(fd) ? success : badDescriptor),
  fd_fdstat_get(fd, at) {
    bytesAt(at, 24).fill(0);
    view().setUint8(at, fd < folder ? 2 : fd === folder ? 3 : 4);
    bytesAt(at + 8, 16).fill(255);
    return success;
  },
  fd_fdstat_set_flags: () => success,
  fd_prestat_get: (fd, at) => (fd === folder ? put32(at, 0) || put32(at + 4, 1) : badDescriptor),
  fd_prestat_dir_name: (_fd, at) => (bytesAt(at, 1).set([47]), success),
  path_open(_fd, _follow, path, length, flags, _rights, _inherited, _mode, at) {
    const name = Buffer.from(bytesAt(path, length)).toString();
    const [create, truncate] = [flags & 1, flags & 8];
    if (!files.has(name) && !create) return noEntry;
    if (!files.has(name) || truncate) files.set(name, { bytes: new Uint8Array(65536), size: 0 });
    let fd = folder + 1;
    while (open.has(fd)) fd++;
    open.set(fd, { file: files.get(name), at: 0 });
    return put32(at, fd);
  },
  fd_seek(fd, offset, whence, at) {
    const handle = open.get(fd);
    if (handle === undefined) return badDescriptor;
    handle.at = Number(offset) + (whence === 1 ? handle.at : whence === 2 ? handle.file.size : 0);
    view().setBigUint64(at, BigInt(handle.at), true);
    return success;
  },
  fd_read(fd, list, count, at) {
    const handle = open.get(fd);
    return put32(at, handle ? buffers(list, count).reduce((sum, part) => sum + read(handle, part), 0) : 0);
  },
  fd_write(fd, list, count, at) {
    const handle = open.get(fd), parts = buffers(list, count);
    for (const part of parts) handle ? write(handle, part) : printed.push(Buffer.from(part));
    return put32(at, parts.reduce((sum, part) => sum + part.length, 0));
  },
  proc_exit(code) {
    throw new Exit(String(code));
  },
};

const program = new WebAssembly.Module(readFileSync(workerData.program));
const flite = new WebAssembly.Instance(program, { wasi_snapshot_preview1: host });
memory = flite.exports.memory;
try {
  flite.exports._start();
} catch (error) {
  if (!(error instanceof Exit && error.message === "0")) {
    throw new Error("The program failed: " + (Buffer.concat(printed).toString().trim() || error.message));
  }
}
const written = files.get(workerData.output);
if (written === undefined) throw new Error("The program wrote no output file: " + Buffer.concat(printed).toString().trim());
parentPort.postMessage(written.bytes.slice(0, written.size));
`;
