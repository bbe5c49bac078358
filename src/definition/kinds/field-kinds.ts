/** The table of all kinds of field. To add a kind, add a file and an entry here. */

import type { FieldKind } from '../field-kind.ts'
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

export const kinds: Readonly<Record<FieldKind, Kind>> = {
  text: textKind,
  email: emailKind,
  url: urlKind,
  uuid: uuidKind,
  integer: integerKind,
  number: numberKind,
  decimal: decimalKind,
  boolean: booleanKind,
  date: dateKind,
  timestamp: timestampKind,
  choice: choiceKind,
  state: stateKind,
  list: listKind,
  json: jsonKind,
  ref: refKind,
  refs: refsKind,
  password: passwordKind,
  file: fileKind,
}
