/** The client as text: as JavaScript, as its declarations, and as one TypeScript file. */

import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Model, ResourceModel } from '../definition/model.ts'
import { codeFolder, isBuilt, sourceFolder } from '../package-paths.ts'
import { joinPieces, type Pieces } from '../tools/time-slices.ts'
import { type Audience, type AudienceResource, audienceResourcesInSlices } from './audience.ts'
import { schemasOf } from './resource-schemas.ts'
import { typeOf } from './typescript-types.ts'

let script: string | undefined

/** `/client.js`: the runtime without its types, and with nothing of any definition. */
export function clientScript(): string {
  script ??= compact(runtimeScript())
  return script
}

/** As it was built; where nothing was built, Node takes the types out as it does everywhere. */
function runtimeScript(): string {
  if (!isBuilt) return stripTypeScriptTypes(sourceOf('runtime.ts'))
  return readFileSync(join(codeFolder, 'describe/client/runtime.js'), 'utf8')
}

/** `/client.d.ts`: what the client is, for what this audience may see, in pieces. */
export function* clientTypePieces(model: Model, audience: Audience): Pieces {
  yield `${heading(model)}\n`
  yield* typePieces(model, audience)
  yield `\n${declarations}\n`
  yield 'export function client<S extends Shapes = Service>(base?: string | URL, options?: ClientOptions): Client<S>\n'
}

/** `client.ts`: both in one file, for those who keep generated code. */
export function clientSource(model: Model, audience: Audience): string {
  const runtime = sourceOf('runtime.ts').replace(/import type \{[^}]*\} from '[^']*'\n+/, '')
  return [heading(model), joinPieces(typePieces(model, audience)), runtime].join('\n')
}

function sourceOf(file: string): string {
  return readFileSync(join(sourceFolder, 'describe/client', file), 'utf8')
}

function heading({ title }: Model): string {
  return `/** The client of '${title.replaceAll('*/', '* /')}', written by Restwell. */\n`
}

/** The line in types.ts whose place the collections of the definition take. */
const anyService = 'export type Service = Shapes\n'

function* typePieces(model: Model, audience: Audience): Pieces {
  const types = sourceOf('types.ts').replace(/^\/\*\*.*?\*\/\n+/s, '')
  const [before, after] = types.split(anyService)
  if (after === undefined) throw new Error('types.ts has no place for the collections')
  const parts = yield* audienceResourcesInSlices(model, audience)
  const readable = new Set(
    parts.filter(({ may }) => may.read !== 'never').map(({ resource }) => resource),
  )
  yield `${before}export type Service = {\n`
  for (const part of parts) yield `  ${nameOf(part)}: ${formatShape(part, readable)}\n`
  yield `}\n${after}`
}

function nameOf({ resource }: AudienceResource): string {
  return /^[a-z0-9]+$/.test(resource.name) ? resource.name : `'${resource.name}'`
}

/** A collection; what may not be done with it takes nothing. */
function formatShape(part: AudienceResource, readable: ReadonlySet<ResourceModel>): string {
  const schemas = new Map(schemasOf(part).map(({ name, schema }) => [name, schema]))
  const { name } = part.resource
  const schemaType = (suffix: string) => {
    const schema = schemas.get(name + suffix)
    return schema ? typeOf(schema(), 2) : 'never'
  }
  const row = schemas.has(name) ? schemaType('') : '{ readonly id: string }'
  const members = [
    ['row', row],
    ['create', schemaType('.create')],
    ['replace', schemaType('.replace')],
    ['patch', schemaType('.patch')],
    ['filter', formatFilter(part)],
    ['embed', formatEmbed(part, readable)],
    // The secret is shown once, in the response to the POST.
    ...(part.resource.builtIn === 'tokens'
      ? [['created', `${row} & { readonly token: string }`]]
      : []),
  ]
  return `{\n${members.map(([member, type]) => `    readonly ${member}: ${type}\n`).join('')}  }`
}

function formatFilter({ attributes }: AudienceResource): string {
  const members = [...attributes.values()]
    .filter(({ filterable }) => filterable)
    .map(({ name, isId, field }) => {
      const type = isId || !field ? 'string' : typeOf(field.schema, 3)
      return `      readonly ${name}: ${type}\n`
    })
  return `{\n${members.join('')}    }`
}

/** The references that the audience may embed: it may see the field and read the target. */
function formatEmbed(
  { resource, sees }: AudienceResource,
  readable: ReadonlySet<ResourceModel>,
): string {
  const members = resource.fields
    .filter((field) => sees(field) !== 'never' && field.ref && readable.has(field.ref.resource))
    .map(({ name, ref }) => `      readonly ${name}: Service['${ref?.resource.name}']['row']\n`)
  return `{\n${members.join('')}    }`
}

/** Of what the runtime exports besides `client`. */
const declarations = `/** What the service refused, with the members of its problem (RFC 9457). */
export class Problem extends Error {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string | undefined
  readonly instance: string | undefined
  readonly errors: readonly ContentFault[] | undefined
}

/** Someone else has changed the item since it was last seen. */
export class Conflict extends Problem {
  /** The item as it is now; undefined where it is gone. */
  readonly current: unknown
  /** What was to be written. */
  readonly sent: unknown
}
`

/** Stripping leaves blanks where types were: lines of nothing else go, and ends of lines. */
function compact(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart()
}
