/** The OpenAPI document of a definition. */

import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
export type Json = any

export function describe(definition: unknown, version: '3.1' | '3.2' = '3.1'): Json {
  const model = checkDefinition(definition)
  const offer = createCapabilities(schemeNames(model), documentsFor(model))
  // After serialization, so that undefined members are absent.
  return JSON.parse(
    JSON.stringify(createOpenApi({ model, audience: 'everyone', capabilities: offer, version })),
  )
}
