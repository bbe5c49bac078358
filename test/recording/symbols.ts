/**
 * What varies between two runs of the same exchanges, and the symbols in its place. The same value is
 * the same symbol in a section, so that a broken relation shows.
 */

interface Varying {
  readonly name: string
  /** The only part of a text that has such values; without it, all of the text. */
  readonly within?: RegExp
  /** Each match of the group `value`, or the whole match, is a varying value. */
  readonly patterns: readonly RegExp[]
}

/** Values that are known by their own form, wherever they are. */
const recognised: readonly Varying[] = [
  { name: 'id', patterns: [/[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi] },
  // Pages cut long values.
  { name: 'beginning of id', patterns: [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]*(?=…)/g] },
  { name: 'secret', patterns: [/rw_[0-9A-Za-z]{40,}/g, /whsec_[0-9A-Za-z+/]{43}=/g] },
]

/** Values that are known by their place; then they are replaced wherever they are. */
const placed: readonly Varying[] = [
  { name: 'cursor', patterns: [/[?&;](?:after|before)=(?<value>[\w-]{6,})/g] },
  {
    name: 'position',
    patterns: [
      /last-event-id=(?<value>[\w-]{30})/g,
      /^id: (?<value>[\w-]{30})$/gm,
      /"id":"(?<value>[\w-]{30})"/g,
      /<id>(?<value>[\w-]{30})<\/id>/g,
    ],
  },
  {
    name: 'version',
    patterns: [
      /"version":"(?<value>[\w-]{22})"/g,
      /<version>(?<value>[\w-]{22})<\/version>/g,
      /\/history\/(?<value>[\w-]{22})/g,
    ],
  },
  {
    name: 'event',
    patterns: [/"event":"(?<value>[\w-]{22})"/g, /<event>(?<value>[\w-]{22})<\/event>/g],
  },
  { name: 'key', patterns: [/name="_key" value="(?<value>[\w-]+)"/g] },
  {
    name: 'secret',
    patterns: [
      /(?:password-resets|verifications|invitations)\/(?<value>[\w-]{43})/g,
      /restwell-second-step=(?<value>[\w-]{40,})/g,
      /restwell-browser-[0-9a-f]{12}=(?<value>[\w-]{40,})/g,
      /secret=(?<value>[A-Z2-7]{32})/g,
      /"(?<value>[A-Z2-7]{4}(?:-[A-Z2-7]{4})+)"/g,
    ],
  },
  { name: 'browser', patterns: [/(?<value>restwell-browser-[0-9a-f]{12})=/g] },
  { name: 'login', patterns: [/(?<value>unknown-[\w-]{43})/g] },
  { name: 'asset', patterns: [/\/assets\/\w+\.(?<value>[0-9a-f]{16})\./g] },
  { name: 'upload', patterns: [/\/uploads\/(?<value>[\w-]{22})/g] },
  { name: 'end of id', patterns: [/…(?<value>[0-9a-f]{8})</g] },
  { name: 'digest', within: /name="_originals" value="[^"]*"/g, patterns: [/=(?<value>[\w-]{12})(?=[&"])/g] },
]

/** The parts of an entity tag that only depend on the format and the coding. */
const tagWords = new Set([
  'json',
  'hal',
  'hal-forms',
  'xml',
  'csv',
  'ndjson',
  'html',
  'event-stream',
  'linkset',
  'prometheus',
  'openapi',
  'schema',
  'js',
  'ts',
  'g',
  'b',
  'z',
  'gs',
  'bs',
  'zs',
])

/** The places of entity tags beside `ETag`. */
const tagPlaces = [/match=%22(.+?)%22/g, /"(?:entityTag|etag)":"\\"(.+?)\\""/gi]

export interface Symbols {
  /** Replaces what varies in the texts of one exchange. */
  replaceIn(texts: readonly string[]): string[]
  /** Declares the entity tag of a response, between its quotes. */
  addTag(opaque: string): void
  /** Gives a value a name of its own, such as `token of member`. */
  name(value: string, symbol: string): void
  /** Gives a text of any characters a name, such as the origin of another server. */
  nameText(text: string, symbol: string): void
}

export function createSymbols(): Symbols {
  const symbols = new Map<string, string>()
  const texts = new Map<string, string>()
  const counts = new Map<string, number>()
  const add = (name: string, value: string): string => {
    const known = symbols.get(value)
    if (known !== undefined) return known
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const symbol = `‹${name} ${count}›`
    symbols.set(value, symbol)
    // Pages show the end of an id where an item has no title.
    if (name === 'id') symbols.set(value.slice(-8), `‹end of ${name} ${count}›`)
    return symbol
  }
  const addTag = (opaque: string) => {
    for (const part of opaque.split('.')) if (!tagWords.has(part)) add('tag', part)
  }
  const addPlaced = (text: string) => {
    for (const place of tagPlaces) {
      for (const [, opaque = ''] of text.matchAll(place)) addTag(opaque)
    }
    for (const { name, within, patterns } of placed) {
      const parts = within ? [...text.matchAll(within)].map(([part]) => part) : [text]
      for (const pattern of patterns) {
        for (const match of parts.join('\n').matchAll(pattern)) add(name, match.groups?.value ?? match[0])
      }
    }
  }
  const replace = (text: string) => {
    let replaced = text
    for (const [known, symbol] of texts) replaced = replaced.replaceAll(known, symbol)
    for (const { name, patterns } of recognised) {
      for (const pattern of patterns) replaced = replaced.replace(pattern, (value) => add(name, value))
    }
    // An octet that is percent-encoded ends a value, although its digits could be part of one.
    return replaced.replace(/%[0-9A-Fa-f]{2}|[\w-]{6,}/g, (value) => symbols.get(value) ?? value)
  }
  return {
    replaceIn(texts) {
      for (const text of texts) addPlaced(text)
      return texts.map(replace)
    },
    addTag,
    name: (value, symbol) => void symbols.set(value, `‹${symbol}›`),
    nameText: (text, symbol) => void texts.set(text, `‹${symbol}›`),
  }
}
