/** `restwell client`: a typed client as one TypeScript file without imports. */

import { clientSource } from '../describe/client-source.ts'
import type { Command } from '../operation/command-frame/command.ts'
import { writeOutput } from '../operation/command-frame/output.ts'
import { describedModel } from './described-model.ts'

export const client: Command = {
  usage: '[service.ts] [--out client.ts] [--api-version v1]',
  summary: 'Prints a typed client as one TypeScript file.',
  run: (args, load) =>
    writeOutput({ args, load }, ['api-version'], ({ definition, flags }) =>
      clientSource(describedModel(definition.model, flags['api-version']), 'everyone'),
    ),
}
