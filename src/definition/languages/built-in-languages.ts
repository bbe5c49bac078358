/** The languages that need no dictionary in the definition. English is the language of the code. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../package-paths.ts'
import type { Dictionary } from './message.ts'

export const builtInLanguages: readonly string[] = ['en', 'de']

/** The built-in dictionary of a language, read when it is first needed; undefined when there is none. */
export function findBuiltInDictionary(tag: string): Dictionary | undefined {
  if (tag !== 'de') return undefined
  german ??= readDictionary('de')
  return german
}

/** All messages of the HTML pages. The German dictionary has each of them. */
export function allMessages(): readonly string[] {
  return Object.keys(findBuiltInDictionary('de') ?? {})
}

let german: Dictionary | undefined

function readDictionary(tag: string): Dictionary {
  return JSON.parse(readFileSync(join(packageFolder, 'assets', 'languages', `${tag}.json`), 'utf8'))
}
