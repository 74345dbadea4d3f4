/** Preloaded into gpuctl: the files of chat sessions cannot become larger than FULL_DISK_BYTES bytes. */
const fs = require("node:fs");

const limit = Number(process.env.FULL_DISK_BYTES);
const isLimited = (path) => String(path).includes("chat-sessions");
const isFull = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

const { open } = fs.promises;
fs.promises.open = async (path, ...others) => {
  const file = await open(path, ...others);
  if (!isLimited(path)) return file;
  const appendFile = file.appendFile.bind(file);
  file.appendFile = async (text) => {
    const free = Math.max(0, limit - (await file.stat()).size);
    const bytes = Buffer.from(text);
    await appendFile(bytes.subarray(0, free));
    if (bytes.length > free) throw isFull();
  };
  return file;
};

const limited = new Set();
const { openSync, writeSync, writeFileSync } = fs;
fs.openSync = (path, ...others) => {
  const fd = openSync(path, ...others);
  if (isLimited(path)) limited.add(fd);
  return fd;
};
fs.writeSync = (fd, text, ...others) => {
  const size = limited.has(fd) ? fs.fstatSync(fd).size + Buffer.byteLength(text) : 0;
  if (size > limit) throw isFull();
  return writeSync(fd, text, ...others);
};
fs.writeFileSync = (path, text, ...others) => {
  if (isLimited(path) && Buffer.byteLength(text) > limit) throw isFull();
  return writeFileSync(path, text, ...others);
};
