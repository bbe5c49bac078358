/** `restwell check`: checks a definition and describes it in words. */

import type { Model } from '../definition/model.ts'
import { findSampleFaults } from '../definition/sample-rows.ts'
import { type Command, CommandFault } from './command.ts'
import { explainAccounts, explainResource } from './definition-summary.ts'
import type { LoadedDefinition } from './load-definition.ts'
import { writeOutput } from './output.ts'

export const check: Command = {
  usage: '[service.ts] [--out FILE]',
  summary: 'Checks the definition and describes it in words.',
  run: (args) => writeOutput(args, [], ({ definition }) => explainDefinition(definition)),
}

function explainDefinition({ model, sample }: LoadedDefinition): string {
  const faults = sample === undefined ? [] : findSampleFaults(model, sample)
  if (faults.length === 0) return explainModel(model)
  throw new CommandFault(`The sample rows have faults.\n  ${faults.join('\n  ')}`)
}

function explainModel(model: Model): string {
  const resources = [...model.resources.values()].map((resource) => explainResource(model, resource))
  return `The definition '${model.title}' is valid.\n${explainAccounts(model)}\n${resources.join('\n')}`
}
