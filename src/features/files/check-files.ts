/** Checks the option `files`, and the names of files: each is a path below an item, a method of the client and part of two forms. */

import type { CheckContext } from '../../definition/checks/check-context.ts'
import { reservedMeanings } from '../../definition/checks/inverses.ts'
import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import { fileFormNames } from '../../definition/file-methods.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { ModelPart } from '../../definition/model-part.ts'
import { octetSizeOption, parseOctetSize } from '../../definition/octet-size.ts'
import { checkOptions, type OptionTable } from '../../definition/option-table.ts'

/** Octets that the files of an account may have together; undefined: unlimited. */
export const fileQuota = new ModelPart<number | undefined>()

export const filesOptionTable = { quota: octetSizeOption('1000 TB') } satisfies OptionTable

/** The quota of each account in octets; undefined where the definition has none. */
export function parseFileQuota(given: unknown, hasAccounts: boolean, faults: FaultList): number | undefined {
  if (given === undefined) return undefined
  const report = prefixReport('files', faults.at())
  const { quota } = checkOptions(given, filesOptionTable, report)
  if (quota !== undefined && !hasAccounts) {
    report('A quota needs accounts, but the service declares none.')
  }
  return parseOctetSize(quota)
}

/** Reports files whose name, or that of whose forms, has another meaning. Actions and inverses report fields. */
export function checkFiles(resource: ResourceModel, { faults }: CheckContext): void {
  const transitions = resource.fields.flatMap(({ state }) => state?.transitions ?? [])
  const operations = new Set([...resource.actions.keys(), ...transitions.map(({ name }) => name)])
  for (const field of resource.fields) {
    const { name } = field
    if (!findFileModel(field)) continue
    const report = prefixReport(`The file '${name}'`, faults.at(resource.name, name))
    const reserved = reservedMeanings.get(name)
    if (reserved !== undefined) report(`This name is reserved: ${reserved}.`, 'Choose another name.')
    for (const form of Object.values(fileFormNames(name))) {
      if (operations.has(form))
        report(`Its form '${form}' has the name of an action or transition.`, 'Rename one.')
    }
  }
}
