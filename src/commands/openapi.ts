/** `restwell openapi`: the OpenAPI description for all callers together. */

import { schemeNames } from '../access/authentication-schemes.ts'
import { createCapabilities } from '../describe/create-capabilities.ts'
import { createOpenApi, type OpenApiVersion } from '../describe/openapi.ts'
import { escapeNoncharacters } from '../formats/xml-text.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { writeOutput } from '../operation/command-frame/output.ts'
import { loadDocuments } from '../service/loaded-features.ts'
import { describedModel } from './described-model.ts'

export const openapi: Command = {
  usage: '[service.ts] [--out FILE] [--openapi 3.1|3.2] [--api-version v1]',
  summary: 'Prints the complete OpenAPI description.',
  run: (args, load) =>
    writeOutput({ args, load }, ['openapi', 'api-version'], async ({ definition, flags }) => {
      const model = describedModel(definition.model, flags['api-version'])
      const version = parseVersion(flags.openapi ?? '3.1')
      const capabilities = createCapabilities(schemeNames(model), await loadDocuments(definition.model))
      return `${escapeNoncharacters(JSON.stringify(createOpenApi({ model, audience: 'everyone', capabilities, version }), null, 2))}\n`
    }),
}

function parseVersion(text: string): OpenApiVersion {
  if (text === '3.1' || text === '3.2') return text
  throw new CommandFault(`Unknown OpenAPI version '${text}'. Expected: 3.1, 3.2.`)
}
