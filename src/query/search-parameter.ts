/** `q=some words`: full text, in the fields that the definition names. It filters, never ranks. */

import { always, type Condition } from '../store/condition.ts'
import { wordsOf } from '../store/search-words.ts'
import { invalidParameter } from './query-parameter.ts'

export const maxSearchLength = 1000
const maxSearchWords = 20

export function parseSearch(value: string | undefined): Condition {
  if (value === undefined) return always
  if (value.length > maxSearchLength) {
    throw invalidParameter('q', `has more than ${maxSearchLength} characters`)
  }
  const words = wordsOf(value)
  if (words.length === 0) throw invalidParameter('q', 'has no word to look for')
  if (words.length > maxSearchWords)
    throw invalidParameter('q', `has more than ${maxSearchWords} words`)
  return { kind: 'words', words }
}
