/** All kinds of field. To add one, add a file and a line here. */

import { booleanKind } from './boolean.ts'
import { choiceKind } from './choice.ts'
import { decimalKind } from './decimal.ts'
import { emailKind } from './email.ts'
import { fileKind } from './file.ts'
import { jsonKind } from './json.ts'
import type { Kind } from './kind.ts'
import { listKind } from './list.ts'
import { integerKind, numberKind } from './number.ts'
import { passwordKind } from './password.ts'
import { refKind } from './ref.ts'
import { refsKind } from './refs.ts'
import { stateKind } from './state.ts'
import { textKind } from './text.ts'
import { dateKind, timestampKind } from './time.ts'
import { urlKind } from './url.ts'
import { uuidKind } from './uuid.ts'

export const fieldKinds: readonly Kind[] = [
  textKind,
  emailKind,
  urlKind,
  uuidKind,
  integerKind,
  numberKind,
  decimalKind,
  booleanKind,
  dateKind,
  timestampKind,
  choiceKind,
  stateKind,
  listKind,
  jsonKind,
  refKind,
  refsKind,
  passwordKind,
  fileKind,
]

/** The names of all kinds with the trait, for messages. */
export function kindNames(hasTrait: (kind: Kind) => boolean): string {
  return fieldKinds
    .filter(hasTrait)
    .map(({ name }) => name)
    .join(', ')
}
