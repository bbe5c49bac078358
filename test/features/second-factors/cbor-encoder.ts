/** CBOR (RFC 8949) of numbers, texts, octets, arrays, maps, true, false and null, in the shortest form. */

export function encodeCbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)])
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(encodeCbor)])
  const simple = ([false, true, null] as readonly unknown[]).indexOf(value)
  if (simple < 0) throw new TypeError(`No CBOR for ${String(value)}`)
  return head(7, 20 + simple)
}

/** The first octets of an item (RFC 8949 §3). */
export function head(majorType: number, argument: number): Buffer {
  const first = majorType << 5
  if (argument < 24) return Buffer.from([first | argument])
  const size = [0, 1, 2, 3].find((power) => argument < 256 ** (2 ** power)) ?? 3
  const octets = Buffer.from(argument.toString(16).padStart(2 ** (size + 1), '0'), 'hex')
  return Buffer.concat([Buffer.from([first | (24 + size)]), octets])
}
