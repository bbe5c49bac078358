/**
 * CBOR (RFC 8949) as authenticators send it (CTAP2 canonical form): integers, octet and text strings, arrays, maps,
 * true, false and null, all of a definite length. Anything else is refused. The time is linear in the number of octets.
 */

import { isUtf8 } from 'node:buffer'

export type CborValue = number | string | boolean | null | Buffer | readonly CborValue[] | CborMap

export type CborMap = ReadonlyMap<number | string, CborValue>

export interface CborItem {
  readonly value: CborValue
  /** The offset of the first octet after the item. */
  readonly end: number
}

/** CTAP2 allows four levels in a message. An attestation object with several attestation statements needs five. */
const maxDepth = 8

/** The value of octets that are one item and nothing else; undefined for any other octets. */
export function findCborValue(octets: Buffer): CborValue | undefined {
  const item = findCborItem(octets, 0)
  return item?.end === octets.length ? item.value : undefined
}

/** The item that begins at the offset; undefined where the octets there are not one. */
export function findCborItem(octets: Buffer, start: number): CborItem | undefined {
  return findNestedItem(octets, start, maxDepth)
}

function findNestedItem(octets: Buffer, start: number, depth: number): CborItem | undefined {
  const head = depth > 0 ? findHead(octets, start) : undefined
  return head && itemFinders[head.majorType]?.(octets, head, depth)
}

/** The beginning of an item (RFC 8949 §3). */
interface Head {
  readonly majorType: number
  /** A number, a length in octets, or a number of items, by the major type. */
  readonly argument: number
  /** The lower five bits of the first octet: the argument, or the number of octets that it has. */
  readonly information: number
  readonly end: number
}

function findHead(octets: Buffer, start: number): Head | undefined {
  const first = octets[start]
  if (first === undefined) return undefined
  const [majorType, information] = [first >> 5, first & 0x1f]
  if (information < 24) return { majorType, argument: information, information, end: start + 1 }
  // 28 to 30 are reserved, and 31 is an indefinite length.
  if (information > 27) return undefined
  const end = start + 1 + 2 ** (information - 24)
  if (end > octets.length) return undefined
  const argument = Number(`0x${octets.toString('hex', start + 1, end)}`)
  return Number.isSafeInteger(argument) ? { majorType, argument, information, end } : undefined
}

type ItemFinder = (octets: Buffer, head: Head, depth: number) => CborItem | undefined

/** By major type (RFC 8949 §3.1). Tags, the type 6, are not allowed. */
const itemFinders: Readonly<Record<number, ItemFinder>> = {
  0: (_octets, { argument, end }) => ({ value: argument, end }),
  1: (_octets, { argument, end }) => ({ value: -1 - argument, end }),
  2: findOctetString,
  3: findTextString,
  4: findArray,
  5: findMap,
  7: (_octets, { information, end }) => {
    const value = simpleValues.get(information)
    return value === undefined ? undefined : { value, end }
  },
}

const simpleValues: ReadonlyMap<number, CborValue> = new Map([
  [20, false],
  [21, true],
  [22, null],
])

function findOctetString(octets: Buffer, { argument, end }: Head) {
  if (argument > octets.length - end) return undefined
  return { value: octets.subarray(end, end + argument), end: end + argument }
}

function findTextString(octets: Buffer, head: Head): CborItem | undefined {
  const text = findOctetString(octets, head)
  return text && isUtf8(text.value) ? { value: text.value.toString(), end: text.end } : undefined
}

function findArray(octets: Buffer, { argument, end }: Head, depth: number): CborItem | undefined {
  const values: CborValue[] = []
  let offset = end
  while (values.length < argument) {
    const item = findNestedItem(octets, offset, depth - 1)
    if (!item) return undefined
    values.push(item.value)
    offset = item.end
  }
  return { value: values, end: offset }
}

/** Keys are integers and texts. A key that occurs twice is refused (RFC 8949 §5.6). */
function findMap(octets: Buffer, { argument, end }: Head, depth: number): CborItem | undefined {
  const values = new Map<number | string, CborValue>()
  let offset = end
  while (values.size < argument) {
    const key = findNestedItem(octets, offset, depth - 1)
    if (!key || !isMapKey(key.value) || values.has(key.value)) return undefined
    const item = findNestedItem(octets, key.end, depth - 1)
    if (!item) return undefined
    values.set(key.value, item.value)
    offset = item.end
  }
  return { value: values, end: offset }
}

export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map
}

function isMapKey(value: CborValue): value is number | string {
  return typeof value === 'number' || typeof value === 'string'
}
