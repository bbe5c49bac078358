/**
 * Runs the HTTP tests with `EXCHANGES` set, so that they record their requests and responses, and
 * passes each exchange to Prism's proxy, which reports where it violates the OpenAPI document.
 */

import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Exchange } from '../exchanges.ts'
import type { Validators } from './validate.ts'

/** The folders of tests that send requests with `request`. */
const suites = ['rfc', 'pipeline', 'query', 'access', 'representations', 'describe', 'pages']

export async function checkRecordedExchanges(validators: Validators): Promise<readonly string[]> {
  const folder = join(validators.folder, 'exchanges')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const broken = runTests(validators.root, folder)
  const prism = await proxyIn(validators.folder)
  const faults = new Set<string>()
  const counts = { checked: 0, outside: 0 }
  for (const file of globSync('*.json', { cwd: folder })) {
    const operations = await prism.operations(JSON.parse(readFileSync(join(folder, file), 'utf8')))
    for (const exchange of exchangesIn(folder, file.replace('.json', ''))) {
      const found = await prism.check(exchange, operations)
      counts[found === undefined ? 'outside' : 'checked'] += 1
      for (const fault of found ?? []) faults.add(`${exchange.line}: ${fault}`)
    }
  }
  console.log(`        ${counts.checked} exchanges, and ${counts.outside} outside the document`)
  return [...broken, ...faults, ...(counts.checked < 1000 ? ['Too few exchanges were checked'] : [])]
}

function runTests(root: string, folder: string): readonly string[] {
  const files = suites.map((suite) => `test/${suite}/*.test.ts`)
  const args = ['--conditions=source', '--test', '--test-concurrency=2', ...files]
  const env = { ...process.env, EXCHANGES: folder }
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return status === 0 ? [] : [`The tests did not pass: ${stdout.slice(-2000)}`]
}

function exchangesIn(folder: string, name: string): readonly Exchange[] {
  const files = globSync(`${name}.*.exchanges`, { cwd: folder })
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Exchange),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: Prism is not a dependency, so its types are missing
type Untyped = any

interface Proxy {
  operations(document: unknown): Promise<Untyped>
  /** Returns the violations of the exchange; undefined when the document has no such operation. */
  check(exchange: Exchange, operations: Untyped): Promise<readonly string[] | undefined>
}

async function proxyIn(folder: string): Promise<Proxy> {
  const load = createRequire(join(folder, 'package.json'))
  const { createInstance, getHttpOperationsFromSpec } = load('@stoplight/prism-http')
  const { right } = load('fp-ts/TaskEither')
  const silent: Untyped = { child: () => silent }
  for (const level of ['info', 'warn', 'error', 'debug', 'success']) silent[level] = () => undefined
  const config = {
    isProxy: true,
    upstream: new URL('http://127.0.0.1'),
    validateRequest: true,
    validateResponse: true,
    checkSecurity: false,
    errors: false,
    mock: { dynamic: false },
  }
  return {
    operations: (document) => getHttpOperationsFromSpec(document),
    async check(exchange, operations) {
      if (isOutsideDocument(exchange)) return undefined
      const forward = () => () => right(responseOf(exchange))
      const instance = createInstance(config, { logger: silent, forward })
      const narrow = operations.map((operation: Untyped) => narrowed(operation, exchange))
      const result = await instance.request(requestOf(exchange), narrow)()
      if (result._tag === 'Left') throw result.left
      return faultsIn(result.right.validations, exchange)
    },
  }
}

/**
 * An OpenAPI document cannot describe these exchanges, so they are not checked: coded bodies, a 201
 * without content (`return=minimal`), content of GET, HEAD and DELETE (RFC 9110 §9.3.1), forms, an
 * invalid Content-Type, targets in another spelling than the document has, and a repeated comparison
 * (`deepObject` has no form for arrays), and explanations of access, which have the path of their item.
 */
function isOutsideDocument(exchange: Exchange): boolean {
  const { line, fields, body, answered, status, text } = exchange
  const [, target = ''] = line.split(' ')
  const minimal = status === 201 && text === ''
  const meaningless = body !== undefined && /^(?:GET|HEAD|DELETE) /.test(line)
  const type = String(fields['content-type'] ?? 'a/b')
  const typed = /^[\w.+-]+\/[\w.+-]+ *(?:;|$)/.test(type) && !type.includes('urlencoded')
  const explains = target.includes('/-/access')
  const coded = 'content-encoding' in answered || 'content-encoding' in fields
  return minimal || meaningless || !typed || coded || !isPlain(target) || repeatsParameter(target) || explains
}

function repeatsParameter(target: string): boolean {
  const names = [...new URLSearchParams(target.split('?')[1]).keys()]
  return new Set(names).size < names.length
}

/** True without a trailing slash, unneeded percent-encoding or malformed parts. */
function isPlain(target: string): boolean {
  const [path = ''] = target.split('?')
  const plainly = /^\/(?:[^/%]+(?:\/[^/]+)*)?$/.test(path)
  return plainly && URL.canParse(target, 'http://a') && isDecodable(path)
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * Prism applies the schema of `application/json` to every `+json` type and expects content in
 * responses to HEAD, so the operation is narrowed to the media type of the exchange.
 */
function narrowed(operation: Untyped, { line, fields, answered }: Exchange): Untyped {
  const only = (contents: readonly Untyped[] = [], type: unknown) => {
    const name = essenceOf(String(type))
    const same = contents.filter(({ mediaType }) => essenceOf(mediaType) === name)
    return same.length > 0 ? same : contents
  }
  const { request = {} } = operation
  const body = request.body && {
    ...request.body,
    contents: only(request.body.contents, fields['content-type']),
  }
  const responses = operation.responses.map((response: Untyped) => ({
    ...response,
    contents: line.startsWith('HEAD ') ? [] : only(response.contents, answered['content-type']),
  }))
  return { ...operation, request: { ...request, ...(body ? { body } : {}) }, responses }
}

/** Without parameters. */
function essenceOf(mediaType: string): string {
  return mediaType.toLowerCase().split(';')[0] ?? ''
}

interface Violation {
  readonly message: string
  readonly severity: number
  readonly path?: readonly string[]
}

/** An invalid request may be refused; a success is a violation. */
function faultsIn(
  { input, output }: { input: readonly Violation[]; output: readonly Violation[] },
  { line, status }: Exchange,
): readonly string[] | undefined {
  if (input.some(({ message }) => message === 'Selected route not found')) return undefined
  // OPTIONS accepts any id, and a path item has one schema for all its methods.
  const isInputFree = status >= 300 || line.startsWith('OPTIONS ')
  const inputFaults = isInputFree ? [] : input.map((one) => `succeeded (${status}), but ${wordsOf(one)}`)
  return [...inputFaults, ...output.map((one) => `responded ${status}, but ${wordsOf(one)}`)]
}

function wordsOf({ message, path = [] }: Violation): string {
  return `${path.join('/')}: ${message}`
}

function requestOf({ line, fields, body }: Exchange) {
  const [method = '', target = ''] = line.split(' ')
  const { pathname, searchParams } = new URL(target, 'http://a')
  const names = new Set(searchParams.keys())
  const query = [...names].map((name) => {
    const values = searchParams.getAll(name)
    return [name, values.length > 1 ? values : values[0]]
  })
  return {
    method: method.toLowerCase(),
    url: { path: pathname, query: Object.fromEntries(query) },
    headers: {
      ...lowerCased(fields),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    body: contentOf(body, fields['content-type']),
  }
}

function responseOf({ status, answered, text }: Exchange) {
  return {
    statusCode: status,
    headers: answered,
    body: contentOf(text, answered['content-type']),
  }
}

function lowerCased(fields: Exchange['fields']): Record<string, string> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

/** JSON is compared by value; other text stays text, which no JSON schema here allows. */
function contentOf(text: string | undefined, type: unknown): unknown {
  if (text === undefined || !/[/+]json\b/i.test(String(type))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
