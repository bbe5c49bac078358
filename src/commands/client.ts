/** `restwell client`: a typed client as one TypeScript file without imports. */

import { clientSource } from '../describe/client-source.ts'
import type { Command } from './command.ts'
import { writeOutput } from './output.ts'

export const client: Command = {
  usage: '[service.ts] [--out client.ts]',
  summary: 'Prints a typed client as one TypeScript file.',
  run: (args) => writeOutput(args, [], ({ definition }) => clientSource(definition.model, 'everyone')),
}
