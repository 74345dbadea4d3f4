import { encode } from "fast-png";
import { expect, test } from "vitest";
import { MEDIA_TYPES, sniff } from "../../src/media/sniff.ts";
import { fc } from "../support/property.ts";
import { encodeJpeg } from "./jpeg.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
const box = (brands: string) => bytes([0, 0, 0, 8 + brands.length], `ftyp${brands}`, "....");

test.each([
  ["png", Buffer.from(encode({ width: 1, height: 1, channels: 3, data: new Uint8Array(3) }))],
  ["jpg", await encodeJpeg(8, 8, Buffer.alloc(256), 50)],
  ["webp", bytes("RIFF", [9, 0, 0, 0], "WEBPVP8 ")],
  ["gif", bytes("GIF89a", [1, 0, 1, 0])],
  ["gif", bytes("GIF87a", [1, 0, 1, 0])],
  ["avif", box("avif\0\0\0\0mif1")],
  ["avif", box("mif1\0\0\0\0avif")],
  ["heic", box("heic\0\0\0\0mif1heic")],
  ["tiff", bytes("II*", [0, 8, 0, 0, 0])],
  ["tiff", bytes("MM", [0, 42, 0, 0, 0, 8])],
  ["jxl", bytes([0, 0, 0, 12], "JXL ", [13, 10, 0x87, 10])],
  ["jxl", bytes([0xff, 0x0a, 0xfa, 0x1f])],
  ["jp2", bytes([0, 0, 0, 12], "jP  ", [13, 10, 0x87, 10])],
  ["bmp", bytes("BM", [66, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0])],
  ["wav", bytes("RIFF", [36, 0, 0, 0], "WAVEfmt ")],
  ["wav", bytes("RF64", [255, 255, 255, 255], "WAVEds64")],
  ["mp3", bytes("ID3", [4, 0, 0, 0, 0, 0, 0])],
  ["mp3", bytes([0xff, 0xfb, 0x90, 0x00])],
  ["mp3", bytes([0xff, 0xf3, 0x44, 0xc4])],
  ["ogg", bytes("OggS", [0, 2])],
  ["flac", bytes("fLaC", [0, 0, 0, 34])],
  ["aiff", bytes("FORM", [0, 0, 0, 32], "AIFFCOMM")],
  ["aiff", bytes("FORM", [0, 0, 0, 32], "AIFCFVER")],
  ["amr", bytes("#!AMR-WB\n")],
  ["au", bytes(".snd", [0, 0, 0, 24])],
  ["caf", bytes("caff", [0, 1, 0, 0], "desc")],
  ["webm", bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84], "webm")],
  ["m4a", box("M4A \0\0\0\0isom")],
  ["m4a", box("isom\0\0\x02\0mp41")],
  ["m4a", box(`qt  \0\0\0\0${"abcd".repeat(15)}M4A `)],
  ["aac", bytes([0xff, 0xf9, 0x70, 0x80, 0x02, 0x1f, 0xfc])],
  ["aac", bytes([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc])],
])("%s is detected by its first bytes", (ext, file) => {
  const found = sniff(file);
  expect(found?.ext).toBe(ext);
  expect(MEDIA_TYPES).toContainEqual(found);
});

test.each([
  ["an empty file", bytes("")],
  ["a JSON error", bytes('{"error":"overloaded"}')],
  ["a page of HTML", bytes("<!DOCTYPE html><html>")],
  ["text that begins with BM", bytes("BMW is a make of cars, and of motorcycles")],
  ["UTF-16 text", bytes([0xff, 0xfe, 0x41, 0x00, 0x42, 0x00, 0x43, 0x00])],
  ["a Matroska video", bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x88], "matroska")],
  ["an IFF file of another form", bytes("FORM", [0, 0, 0, 32], "ILBMBMHD")],
  ["a RIFF file of another form", bytes("RIFF", [36, 0, 0, 0], "AVI LIST")],
  ["a known brand outside the list of brands", bytes([0, 0, 0, 16], "ftypqt  ", [0, 0, 0, 0], "avif")],
  ["a file whose version looks like a brand", box("qt  avif")],
  ["a known brand after more brands than real files have", box(`qt  \0\0\0\0${"xxxx".repeat(30)}avif`)],
  ["an MPEG frame with an invalid bit rate", bytes([0xff, 0xfb, 0xf0, 0x00])],
  ["an MPEG frame with an invalid sample rate", bytes([0xff, 0xfb, 0x9c, 0x00])],
  ["an MPEG frame with an invalid version", bytes([0xff, 0xeb, 0x90, 0x00])],
  ["a file that starts with RF65 instead of RF64", bytes("RF65", [36, 0, 0, 0], "WAVEfmt ")],
  ["an audio brand instead of the version", box("qt  M4A qt  ")],
  ["an audio brand after more brands than real files have", box(`qt  \0\0\0\0${"abcd".repeat(16)}M4A `)],
  ["an AAC frame with an invalid sample rate", bytes([0xff, 0xf1, 0x74, 0x80, 0x02, 0x1f, 0xfc])],
  ["an AAC frame of another layer", bytes([0xff, 0xf3, 0xf0, 0x80, 0x02, 0x1f, 0xfc])],
  ["an AAC frame without its whole header", bytes([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f])],
  ["the start of a JPEG without a segment", bytes([0xff, 0xd8, 0x00])],
  ["half a PNG signature", bytes([0x89, 0x50, 0x4e, 0x47])],
])("%s is neither an image nor audio", (_, file) => {
  expect(sniff(file)).toBeUndefined();
});

test("a detected type says whether the file is an image or audio", () => {
  expect(sniff(bytes("fLaC"))).toMatchObject({ ext: "flac", mime: "audio/flac", kind: "audio" });
  expect(sniff(bytes([0xff, 0xd8, 0xff]))).toMatchObject({ ext: "jpg", mime: "image/jpeg", kind: "image" });
});

test("any bytes are accepted without an error", () => {
  const starts = ["", "RIFF", "BM", "....ftyp", "\0\0\0\0ftyp", "\xff\xff\xff\xffftyp", "\xff", "ID3"];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 40 }), (start, rest) => {
      const found = sniff(bytes(start, [...rest]));
      expect(found === undefined || MEDIA_TYPES.includes(found)).toBe(true);
    }),
  );
});
