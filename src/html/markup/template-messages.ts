/**
 * The messages in a template: the text between its tags, and the values of the attributes that people
 * read. The values of the template are numbered placeholders: `<p>Used by ${count}.</p>` has the
 * message `Used by {1}.`
 */

import { parseMessage } from '../../definition/languages/message.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Language } from '../languages/language.ts'

/** A template in a language: the values of `order` are placed between the texts. */
export interface TranslatedTemplate {
  readonly texts: readonly string[]
  /** The index of the value after each text but the last. */
  readonly order: readonly number[]
}

/** The message of a template that is only text. */
export const parseTemplate = memoizeByObject((strings: TemplateStringsArray): string =>
  strings.reduce((message, part, at) => `${message}{${at}}${part}`),
)

/** The templates of a language, each translated when it is first used. */
export const templatesIn = memoizeByObject((language: Language) =>
  memoizeByObject((strings: TemplateStringsArray): TranslatedTemplate => {
    const source = strings.reduce((before, part, at) => `${before}${markOf(at - 1)}${part}`)
    return splitAtMarks(translateMarkup(source, (message) => language.find(message)))
  }),
)

/** The messages of an `html` template, for the test that a dictionary is complete. */
export function messagesOfMarkup(strings: readonly string[]): readonly string[] {
  const messages: string[] = []
  const source = strings.reduce((before, part, at) => `${before}${markOf(at - 1)}${part}`)
  translateMarkup(source, (message) => {
    messages.push(message)
    return undefined
  })
  return messages
}

/** A private-use character for the value at an index. */
function markOf(index: number): string {
  return String.fromCharCode(firstMark + index)
}

const firstMark = 0xe000
const mark = /[\ue000-\ue0ff]/g

function splitAtMarks(text: string): TranslatedTemplate {
  const order = (text.match(mark) ?? []).map((one) => one.charCodeAt(0) - firstMark)
  return { texts: text.split(mark), order }
}

type Find = (message: string) => string | undefined

/** Code and its like is the same in all languages. */
const token = /<(code|pre|script|style|kbd)\b[^>]*>[\s\S]*?<\/\1>|<[^>]*>|[^<]+/g

/** Replaces the messages of markup that `find` finds a translation for. */
function translateMarkup(source: string, find: Find): string {
  // A template such as ` aria-current="page"` is part of a tag.
  if (isAttributes(source)) return translateAttributes(source, find)
  return source.replace(token, (found) =>
    found.startsWith('<') ? translateAttributes(found, find) : translateRun(found, find),
  )
}

function isAttributes(source: string): boolean {
  return attributes.test(source)
}

const attributes =
  /^\s*(?:(?:[a-z\ue000-\ue0ff-]+="[^"]*"|autofocus|checked|data-[a-z]+|disabled|hidden|multiple|open|required|selected|[\ue000-\ue0ff])\s*)+$/

const spokenAttribute = /( (?:aria-label|placeholder|title|alt|data-text-[a-z]+)=")([^"]+)"/g

function translateAttributes(tag: string, find: Find): string {
  return tag.replace(spokenAttribute, (_, start: string, value: string) => {
    return `${start}${translateRun(value, find)}"`
  })
}

/** Translates text without tags. White space around it stays. */
function translateRun(run: string, find: Find): string {
  if (!/\p{L}/u.test(run.replace(mark, '').replace(/&\w+;/g, ''))) return run
  const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run) ?? []
  const marks = text.match(mark) ?? []
  let number = 0
  const message = decode(text.replace(/\s+/g, ' ')).replace(mark, () => `{${++number}}`)
  const found = find(message)
  if (found === undefined) return run
  const parts = parseMessage(found).map((part) =>
    typeof part === 'number' ? (marks[part - 1] ?? '') : encode(part),
  )
  return before + parts.join('') + after
}

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: keyof typeof characters) => characters[name])
}

const characters = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' } as const

function encode(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
