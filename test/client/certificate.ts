import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** A key and a self-signed certificate in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A new certificate for a host name, valid from 2020 to 2120. Encoded here, because Node cannot create one. */
export function selfSigned(host: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(set(sequence(oid("550403"), node(0x0c, Buffer.from(host)))));
  const alternative = node(0x82, Buffer.from(host));
  const extensions = sequence(
    sequence(oid("551d11"), octets(sequence(alternative))),
    sequence(oid("551d13"), node(0x01, Buffer.of(0xff)), octets(sequence(node(0x01, Buffer.of(0xff))))),
  );
  const serial = createHash("sha1").update(spki).digest().subarray(0, 8);
  const body = sequence(
    node(0xa0, integer(2)),
    integer(1, ...serial),
    algorithm,
    name,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    name,
    spki,
    node(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, algorithm, node(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = whole
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** A DER value: tag, length, content. */
function node(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: Buffer[]): Buffer => node(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => node(0x31, Buffer.concat(parts));
const oid = (hex: string): Buffer => node(0x06, Buffer.from(hex, "hex"));
const octets = (content: Buffer): Buffer => node(0x04, content);
const time = (text: string): Buffer => node(0x18, Buffer.from(text));

/** A positive integer from its big-endian bytes. The first byte must be less than 128, or the integer is negative. */
const integer = (...bytes: number[]): Buffer => node(0x02, Buffer.from(bytes));
