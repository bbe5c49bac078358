/** `restwell check`: checks a definition and describes it in words. */

import type { Model } from '../definition/model.ts'
import type { Sample } from '../definition/sample-rows.ts'
import { FirstStartFault, rehearseFirstStart } from '../service/first-start.ts'
import { type Command, CommandFault } from './command.ts'
import { explainAccounts, explainResource } from './definition-summary.ts'
import type { LoadedDefinition } from './load-definition.ts'
import { writeOutput } from './output.ts'

export const check: Command = {
  usage: '[service.ts] [--out FILE]',
  summary: 'Checks the definition and describes it in words.',
  run: (args) => writeOutput(args, [], ({ definition }) => explainDefinition(definition)),
}

async function explainDefinition({ model, sample }: LoadedDefinition): Promise<string> {
  if (sample !== undefined) await requireSample(model, sample)
  return explainModel(model)
}

async function requireSample(model: Model, sample: Sample): Promise<void> {
  try {
    await rehearseFirstStart(model, sample)
  } catch (error) {
    if (!(error instanceof FirstStartFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

function explainModel(model: Model): string {
  const resources = [...model.resources.values()].map((resource) => explainResource(model, resource))
  return `The definition '${model.title}' is valid.\n${explainAccounts(model)}\n${resources.join('\n')}`
}
