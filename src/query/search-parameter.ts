/** `q=some words`: full text, in the fields that the definition names. It filters, never ranks. */

import { always, type Condition } from '../store/condition.ts'
import { wordsOf } from '../store/search-words.ts'
import { invalidParameter } from './query-parameter.ts'

export const maxSearchLength = 1000
const mostWords = 20

export function parseWords(value: string | undefined): Condition {
  if (value === undefined) return always
  if (value.length > maxSearchLength) {
    throw invalidParameter('q', `has more than ${maxSearchLength} characters`)
  }
  const words = wordsOf(value)
  if (words.length === 0) throw invalidParameter('q', 'has no word to look for')
  if (words.length > mostWords) throw invalidParameter('q', `has more than ${mostWords} words`)
  return { kind: 'words', words }
}
