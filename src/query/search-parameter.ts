/** `q=some words`: full-text search in the fields that the definition names. It does not rank. */

import { always, type Condition } from '../store/condition.ts'
import { splitWords } from '../store/search-words.ts'
import { invalidParameter } from './query-parameter.ts'

export const maxSearchLength = 1000
const maxSearchWords = 20

/** Parses the words to the condition that a row has them all; refuses 400. */
export function parseSearch(value: string | undefined): Condition {
  if (value === undefined) return always
  if (value.length > maxSearchLength) {
    throw invalidParameter('q', `has more than ${maxSearchLength} characters`)
  }
  const words = splitWords(value)
  if (words.length === 0) throw invalidParameter('q', 'has no word to search for')
  if (words.length > maxSearchWords) throw invalidParameter('q', `has more than ${maxSearchWords} words`)
  return { kind: 'search', words }
}
