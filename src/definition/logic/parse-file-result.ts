/** Reads `result: file({ … })` of an action or a query. */

import { isScriptType } from '../../http/served-type.ts'
import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { type FieldDeclaration, usedModifiers } from '../field.ts'
import { fileOptionTable } from '../kinds/file.ts'
import type { FileResult } from '../model.ts'
import { parseOctetSize } from '../octet-size.ts'
import { checkOptions } from '../option-table.ts'

/** The largest file of an action, whose response is stored under its Idempotency-Key, and that of a query. */
const most = { action: '4 MB', query: '20 MB' } as const

interface FilePlace {
  readonly operation: keyof typeof most
  readonly report: FaultReport
}

/** Returns the declared file, or undefined after reporting that it is none; reports all other faults. */
export function parseFileResult(declared: FieldDeclaration, place: FilePlace): FileResult | undefined {
  const report = prefixReport("'result'", place.report)
  if (declared.kind.shape !== 'file') {
    report(`Cannot be ${declared.kind.name}().`, 'Write: result: { total: integer() }.')
    return undefined
  }
  for (const modifier of usedModifiers(declared)) {
    report(`.${modifier}() has no meaning for a file.`, 'Remove it.')
  }
  const { types = [], max } = checkOptions(declared.options, fileOptionTable, report)
  for (const range of types.filter((one) => one.includes('*'))) {
    report(`The types of a result have no '*', not ${range}.`, "Name each, such as 'image/png'.")
  }
  for (const script of types.filter(isScriptType)) {
    report(`Pages of any origin could run ${script}.`, 'Write a route for it.')
  }
  const octets = parseOctetSize(max) ?? 0
  const largest = most[place.operation]
  if (octets > (parseOctetSize(largest) ?? 0)) {
    const noun = place.operation === 'action' ? 'an action' : 'a query'
    report(`The file of ${noun} has at most ${largest}, not ${max}.`, `Write max: '${largest}'.`)
  }
  return { kind: 'file', types, max: octets }
}
