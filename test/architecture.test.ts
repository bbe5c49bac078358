/** The structure of src/: which folder imports from which, no cycles, no name for two types, the size of parts. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { test } from 'node:test'
import { fieldKinds } from '../src/definition/kinds/field-kinds.ts'
import { measureFunctions } from './function-complexity.ts'

/** From top to bottom: each folder imports from itself and from those in later lines; those in one line are apart. */
const layers: readonly (readonly string[])[] = [
  ['cli.ts'],
  ['commands'],
  ['service'],
  ['features'],
  ['operation'],
  ['html'],
  ['describe'],
  ['requests'],
  ['formats'],
  ['views'],
  ['query'],
  ['work'],
  ['access'],
  ['store', 'server'],
  ['limits'],
  ['definition'],
  ['observation.ts', 'tracer.ts'],
  ['refusal.ts'],
  ['http'],
  ['tools', 'package-paths.ts'],
]

/** The only file outside of `features/` that imports features, beside the types in entries. */
const featureList = 'service/features.ts'

/** By feature: the others that it may import, as `features/README.md` lists them. */
const listedImports: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../src/features/README.md'), 'utf8').matchAll(
      /^\| ([a-z-]+) \| ([a-z, -]*)\|$/gm,
    ),
  ]
    .filter(([, feature]) => feature !== 'feature')
    .map(([, feature = '', others = '']) => [feature, others.split(',').flatMap((one) => one.trim() || [])]),
)

/** What users import. No file of src imports them. */
const entries: readonly string[] = ['index.ts', 'client.ts']

const source = join(import.meta.dirname, '..', 'src')

interface SourceFile {
  readonly path: string
  readonly text: string
}

const files: readonly SourceFile[] = globSync('**/*.ts', { cwd: source }).map((path) => ({
  path: path.replaceAll(sep, posix.sep),
  text: readFileSync(join(source, path), 'utf8'),
}))

test('no file imports against the order of folders, or a feature past the list of features', () => {
  assert.ok(files.length > 50, 'the test reads the files there are')
  assert.deepEqual(wrongImports(files), [])
})

test('an import from a folder above is found', () => {
  const wrong = (path: string, text: string) => wrongImports([{ path, text }]).length
  assert.equal(wrong('store/open-store.ts', "import { a } from '../requests/handle-request.ts'"), 1)
  assert.equal(wrong('http/list-field.ts', "import { refuse } from '../refusal.ts'"), 1)
  assert.equal(wrong('views/uri.ts', "const x = await import('../query/cursor.ts')"), 0)
  assert.equal(wrong('query/cursor.ts', "import type { View } from '../views/view.ts'"), 1)
  assert.equal(wrong('query/cursor.ts', "import '../views/view.ts'"), 1)
  assert.equal(wrong('query/cursor.ts', "export { view } from '../views/view.ts'"), 1)
  assert.equal(wrong('query/cursor.ts', "let a: import('../views/view.ts').View"), 1)
  assert.equal(wrong('server/server.ts', "import { b } from '../store/store.ts'"), 1)
  assert.equal(wrong('server/server.ts', "// As in '../store/store.ts'."), 0)
})

test('an import of a feature is found in another feature and outside of the list of features', () => {
  const wrong = (path: string, text: string) => wrongImports([{ path, text }]).length
  const mail = "import { a } from '../mail/mail-record.ts'"
  assert.equal(wrong('features/files/quota-limit.ts', mail), 1)
  assert.equal(wrong('features/providers/provider-account.ts', mail), 0)
  assert.equal(wrong('features/mail/sign-up/sign-up.ts', "import { a } from '../mail-record.ts'"), 0)
  const listed = "import { a } from '../features/mail/mail-record.ts'"
  assert.equal(wrong('service/start.ts', listed), 1)
  assert.equal(wrong(featureList, listed), 0)
})

test('features/README.md lists every feature, and the features that each imports, without a circle', () => {
  const folders = globSync('features/*/', { cwd: source }).map((path) => posix.basename(path))
  assert.deepEqual([...listedImports.keys()], folders.toSorted())
  for (const [feature, others] of listedImports) {
    const own = files.filter(({ path }) => featureOf(path) === feature)
    const used = own.flatMap(({ path, text }) =>
      importsIn(path, text).flatMap((imported) => featureOf(imported) ?? []),
    )
    assert.deepEqual(
      others.filter((one) => !used.includes(one)),
      [],
      `${feature} imports what is listed`,
    )
  }
  const listed = [...listedImports].map(([feature, others]) => ({
    path: `features/${feature}`,
    text: others.map((one) => `import './${one}'`).join('\n'),
  }))
  assert.deepEqual(findCycle(listed), undefined)
})

test('every file of src is in a layer', () => {
  const others = files.filter(({ path }) => !entries.includes(path) && layerOf(path) < 0)
  assert.deepEqual(
    others.map(({ path }) => path),
    [],
  )
})

test('no files import each other in a circle, types included', () => {
  assert.deepEqual(findCycle(files), undefined)
})

test('a circle of imports is found', () => {
  const circle = [
    { path: 'a/one.ts', text: "import { two } from '../b/two.ts'" },
    { path: 'b/two.ts', text: "import {\n  type Three,\n} from './three.ts'" },
    { path: 'b/three.ts', text: "import type { One } from '../a/one.ts'" },
  ]
  assert.deepEqual(findCycle(circle), ['a/one.ts', 'b/two.ts', 'b/three.ts', 'a/one.ts'])
  assert.equal(findCycle(circle.slice(0, 2)), undefined)
})

test('no exported type has the name of another type', () => {
  assert.deepEqual(repeatedTypes(files), [])
})

test('an exported type with the name of another is found', () => {
  const one = { path: 'one.ts', text: 'export interface Row {}' }
  assert.deepEqual(repeatedTypes([one, { path: 'two.ts', text: 'type Row = string' }]), [
    'Row: one.ts, two.ts',
  ])
  assert.deepEqual(repeatedTypes([one, { path: 'two.ts', text: 'const Row = 1' }]), [])
})

test('no two files of one layer have the same name, except those of the two drivers', () => {
  assert.deepEqual(repeatedFiles(files), [])
})

test('a file with the name of another in its layer is found', () => {
  const found = (...paths: readonly string[]) => repeatedFiles(paths.map((path) => ({ path, text: '' })))
  assert.deepEqual(found('query/cursor.ts', 'query/lists/cursor.ts'), [
    'query/cursor.ts, query/lists/cursor.ts',
  ])
  assert.deepEqual(found('query/cursor.ts', 'views/cursor.ts'), [])
  assert.deepEqual(found('store/sqlite/read/lists.ts', 'store/postgres/lists.ts'), [])
  assert.equal(found('store/sqlite/lists.ts', 'store/sqlite/read/lists.ts').length, 1)
  assert.equal(found('store/lists.ts', 'store/postgres/lists.ts').length, 1)
  assert.deepEqual(found('features/mail/feature.ts', 'features/files/feature.ts'), [])
})

const decidingFiles: ReadonlySet<string> = new Set(['html/adapter.ts', 'requests/handle-request.ts'])

/** Logs and metrics show the names of decisions. A bundle renames a function whose name another one has. */
test('no other function has the name of a decision', () => {
  const sequence = files.filter(({ path }) => decidingFiles.has(path))
  const decisions = sequence.flatMap(({ text }) => namesIn(text, /\bdecide\(\s*(\w+)/g))
  assert.ok(decisions.length > 25)
  const declared = files.flatMap(({ text }) =>
    namesIn(text, /^(?:export )?(?:async )?(?:function|const) (\w+)/gm),
  )
  const repeated = decisions.filter((name) => declared.filter((one) => one === name).length !== 1)
  assert.deepEqual(repeated, [])
})

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))]
}

const maxComplexity = 20
const maxLines = 600

test(`no function of src has a cyclomatic complexity above ${maxComplexity}`, () => {
  assert.deepEqual(complexFunctions(files), [])
})

test('a function with a cyclomatic complexity above 20 is found', () => {
  const withIfs = (count: number, end = '') =>
    `function planted(n: number) {\n${'if (n) n++\n'.repeat(count)}${end}}`
  const found = (text: string) => complexFunctions([{ path: 'a/planted.ts', text }])
  assert.deepEqual(found(withIfs(20)), ['a/planted.ts planted: 21'])
  assert.deepEqual(found(withIfs(19)), [])
  for (const one of ['n && n', 'n || n', 'n ?? n', 'n ? 1 : 2', 'n ??= 1']) {
    assert.deepEqual(found(withIfs(19, `return ${one}`)), ['a/planted.ts planted: 21'], one)
  }
  for (const one of ['for (;;) {}', 'for (const a of b) {}', 'for (const a in b) {}', 'while (n) {}']) {
    assert.deepEqual(found(withIfs(19, one)), ['a/planted.ts planted: 21'], one)
  }
  assert.deepEqual(found(withIfs(19, 'try {} catch {}')), ['a/planted.ts planted: 21'])
  assert.deepEqual(found(withIfs(19, 'do {} while (n)')), ['a/planted.ts planted: 21'])
  assert.deepEqual(found(withIfs(19, 'switch (n) { case 1: case 2: return 3 }')), [
    'a/planted.ts planted: 21',
  ])
})

test('branches of a function inside of another, of other cases and of types are not its own', () => {
  const twenty = 'if (n) n++\n'.repeat(19)
  const text = `class A { m(n: number) { ${twenty} return [n].map((n) => { ${twenty} return n }) } }
    function other(n: 1 | 2): n extends 1 ? 3 : 4 { switch (n) { default: return n?.length + (n & 1) } }`
  assert.deepEqual(complexFunctions([{ path: 'a/planted.ts', text }]), [])
})

test(`no file of src has more than ${maxLines} lines`, () => {
  assert.deepEqual(longFiles(files), [])
})

test('a file with more than 600 lines is found', () => {
  const withLines = (count: number) => [{ path: 'a/planted.ts', text: 'let a = 1\n'.repeat(count) }]
  assert.deepEqual(longFiles(withLines(601)), ['a/planted.ts: 601'])
  assert.deepEqual(longFiles(withLines(600)), [])
})

test('only config.ts reads the environment', () => {
  const readers = files.filter(({ text }) => text.includes('process.env'))
  assert.deepEqual(
    readers.map(({ path }) => path),
    ['operation/configuration/config.ts'],
  )
})

test('only kinds/ knows the names of kinds of field: other files read traits', () => {
  assert.deepEqual(decisionsByKind(files), [])
})

test('a decision by the name of a kind, or by which kind it is, is found', () => {
  const found = (text: string, path = 'views/planted.ts') => decisionsByKind([{ path, text }]).length
  assert.equal(found("if (field.kind.name === 'text') return"), 1)
  assert.equal(found("const a = 'text' !== item?.kind.name"), 1)
  assert.equal(found('switch (field.kind.name) {'), 1)
  assert.equal(found("if (['list', 'json'].includes(kind.name)) return"), 1)
  assert.equal(found('return table[kind.name]'), 1)
  assert.equal(found('const isText = kind === textKind'), 1)
  assert.equal(found('const { kind: { name } } = field'), 1)
  assert.equal(found('const words = [kind.name, kind.order]'), 0)
  assert.equal(found("if (kind.name === 'text') return", 'definition/kinds/planted.ts'), 0)
})

/** Comparisons of the name of a kind with a text, choices by it, and comparisons with one kind. */
const decisionByKind = new RegExp(
  [
    /\bkind\??\.name\s*[!=]==?\s*['"]/,
    /['"]\s*[!=]==?\s*[\w.?]*\bkind\??\.name/,
    /switch \([\w.?]*kind\.name/,
    /(?:includes|has|get)\([\w.?]*kind\.name/,
    /\[[\w.?]*kind\.name\]/,
    /\bkind: \{ name\b/,
    new RegExp(`[!=]== (?:${fieldKinds.map(({ name }) => name).join('|')})Kind\\b`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

function decisionsByKind(those: readonly SourceFile[]): readonly string[] {
  return those
    .filter(({ path }) => !path.startsWith('definition/kinds/'))
    .flatMap(({ path, text }) => [...text.matchAll(decisionByKind)].map(([found]) => `${path}: ${found}`))
}

test('no place outside of features/ decides by which built-in table it is: it reads traits', () => {
  assert.deepEqual(decisionsByTable(files), [])
})

test('a decision by a built-in table, or by its name, is found', () => {
  const found = (text: string, path = 'views/planted.ts') => decisionsByTable([{ path, text }]).length
  assert.equal(found('if (resource.traits === jobsTable) return'), 1)
  assert.equal(found('find(({ traits }) => traits !== jobsTable)'), 1)
  assert.equal(found("if (resource.traits.name === 'jobs') return"), 1)
  assert.equal(found('return secretTables.has(resource.traits.name)'), 1)
  assert.equal(found('return name === jobsName || name === webhooksName'), 2)
  assert.equal(found("if (resource.name === 'webhook_deliveries') return"), 1)
  assert.equal(found("return ownTables.get('account_mails')"), 1)
  assert.equal(found('return findBuiltIn(resources, webhooksTable)'), 1)
  assert.equal(found('const { job, secrets } = resource.traits'), 0)
  assert.equal(found('if (resource.traits === jobsTable) return', 'features/logic/planted.ts'), 0)
})

/** Comparisons with a table or its name, and lookups by them, except of tables that the core itself has. */
const decisionByTable = new RegExp(
  [
    /\btraits\??\s*[!=]== \w*Table\b/,
    /\btraits\??\.name\b(?! ===)/,
    /[!=]== (?:accountSubjects|codeAttempts|credentials|cursors|deliveries|invitations|jobs|mails|queue|webhooks)Name\b/,
    /[!=]== '(?:tokens|webhooks|invitations|jobs)'/,
    /[!=]== '(?:account|webhook|file)_\w+'/,
    /(?:get|has)\('(?:account|webhook|file)_\w+'\)/,
    /\bfindBuiltIn\(\w/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

function decisionsByTable(those: readonly SourceFile[]): readonly string[] {
  return those
    .filter(({ path }) => !path.startsWith('features/') && !client.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(decisionByTable)].map(([found]) => `${path}: ${found}`))
}

/** The words of features. Sign-in, second factors, files, versions and the seal of the audit are core in part. */
const featureWord = /^(?:webhook|mail|provider|schedule|job)s?$/

const coreFolders = 'http|limits|definition|store|server|access|work|query|views|formats|requests'
const isInCore = new RegExp(`^(?:${coreFolders})/`)

/**
 * The files of the core with words of features: in `definition/` options that users write, with what is made of them;
 * in `access/` and `posted-password.ts` that an account is bound to a provider; in `requests/` that an action in the
 * background is a job; addresses, and how an account proves its own; former formats.
 */
const namesInCore: readonly string[] = [
  'access/account-tokens.ts: provider',
  'access/bound-account.ts: mail, provider',
  'access/credentials.ts: provider',
  'access/principal.ts: provider',
  'access/recent-sign-in.ts: provider',
  'access/token-lookup.ts: provider',
  'definition/built-in-table.ts: job',
  'definition/check-definition.ts: mail, webhooks',
  'definition/checks/accounts.ts: mail, providers',
  'definition/checks/names.ts: mail',
  'definition/credentials-resource.ts: provider',
  'definition/definition-part.ts: mail, providers, webhooks',
  'definition/information.ts: mail',
  'definition/job.ts: job, jobs',
  'definition/kinds/email.ts: mail',
  'definition/logic/action.ts: job, jobs',
  'definition/logic/declared-hooks.ts: schedules',
  'definition/logic/logic-model.ts: schedule, schedules',
  'definition/logic/logic-tools.ts: mail',
  'definition/logic/logic.ts: schedule, schedules',
  'definition/logic/parse-logic.ts: schedule, schedules',
  'definition/logic/signature.ts: webhook, webhooks',
  'definition/logic/verify.ts: webhooks',
  'definition/mail-template.ts: mail',
  'definition/mail-texts.ts: mail, provider',
  'definition/model.ts: mail, providers',
  'definition/paths.ts: jobs, mails, webhooks',
  'definition/provider.ts: provider',
  'definition/required-features.ts: mail, providers, webhooks',
  'definition/service-definition.ts: mail, provider, providers, webhooks',
  'definition/tokens-resource.ts: provider',
  'requests/batch/perform-batch.ts: job',
  'requests/context/operation-of.ts: job',
  'requests/context/operations.ts: job, mail',
  'requests/context/service-part.ts: mail',
  'requests/documents/posted-password.ts: provider, providers',
  'requests/perform-method.ts: job',
  'store/schema/format-version.ts: webhooks',
  'views/item-actions.ts: mail',
  'views/item-title.ts: mail',
]

test('the core knows no feature by name, but for the options that users write and the bindings of accounts', () => {
  assert.deepEqual(namesOfFeatures(files), namesInCore)
})

test('the name of a feature in the core is found', () => {
  const found = (text: string, path = 'views/planted.ts') => namesOfFeatures([{ path, text }])
  assert.deepEqual(found('const webhookQueue = 1'), ['views/planted.ts: webhook'])
  assert.deepEqual(found("readonly jobs: 'mail' | 'jobs'"), ['views/planted.ts: jobs, mail'])
  assert.deepEqual(found('const { email, mailto } = row'), [])
  assert.deepEqual(found('/** A job in a comment. */\n// And another job.'), [])
  assert.deepEqual(found('const webhookQueue = 1', 'features/webhooks/planted.ts'), [])
})

/** The words of features in the code of the core, by file. */
function namesOfFeatures(those: readonly SourceFile[]): readonly string[] {
  return those
    .filter(({ path }) => isInCore.test(path))
    .flatMap(({ path, text }) => {
      const code = text
        .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
        .replaceAll(/^(?:import|export) (?:type )?(?:\{[^}]*\}|\w+|\* as \w+) from '.*'$|^import '.*'$/gm, '')
      const words = code.matchAll(/[A-Z]?[a-z]+/g).map(([word]) => word.toLowerCase())
      const found = [...new Set(words)].filter((word) => featureWord.test(word)).toSorted()
      return found.length > 0 ? [`${path}: ${found.join(', ')}`] : []
    })
    .toSorted()
}

/** The functions above the limit, with their complexity. */
function complexFunctions(those: readonly SourceFile[]): readonly string[] {
  return measureFunctions(those)
    .filter(({ complexity }) => complexity > maxComplexity)
    .map(({ path, name, complexity }) => `${path} ${name}: ${complexity}`)
}

/** The files above the limit, with their number of lines. */
function longFiles(those: readonly SourceFile[]): readonly string[] {
  return those
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path}: ${lines}`)
}

/** The imports that break the order, as `from imports to`, each once and sorted. */
function wrongImports(those: readonly SourceFile[]): readonly string[] {
  const wrong = those
    .filter(({ path }) => !entries.includes(path))
    .flatMap(({ path, text }) =>
      importsIn(path, text)
        .filter((imported) => isAgainstOrder(path, imported) || passesList(path, imported))
        .map((imported) => `${path} imports ${imported}`),
    )
  return [...new Set(wrong)].toSorted()
}

function isAgainstOrder(path: string, imported: string): boolean {
  const [layer, importedLayer] = [layerOf(path), layerOf(imported)]
  return importedLayer < layer || (importedLayer === layer && partOf(path) !== partOf(imported))
}

/** Whether a feature is imported by another feature, or by a file other than the lists of features. */
function passesList(path: string, imported: string): boolean {
  const feature = featureOf(imported)
  const own = featureOf(path)
  if (feature === undefined || feature === own || path === featureList) return false
  return own === undefined || !listedImports.get(own)?.includes(feature)
}

function featureOf(path: string): string | undefined {
  return /^features\/([^/]+)\//.exec(path)?.[1]
}

function layerOf(path: string): number {
  return layers.findIndex((layer) => layer.includes(partOf(path)))
}

/** The folder of `src/` that has the file, or the file itself. */
function partOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** The files that the text imports, for their types or their effect too. */
function importsIn(path: string, text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  return [...code.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)].map(([, imported = '']) =>
    posix.join(posix.dirname(path), imported),
  )
}

/** The files of one circle in order, the first again at the end. */
function findCycle(those: readonly SourceFile[]): readonly string[] | undefined {
  const imports = new Map(those.map(({ path, text }) => [path, importsIn(path, text)]))
  const finished = new Set<string>()
  const visit = (path: string, above: readonly string[]): readonly string[] | undefined => {
    const at = above.indexOf(path)
    if (at >= 0) return [...above.slice(at), path]
    if (finished.has(path)) return undefined
    for (const imported of imports.get(path) ?? []) {
      const cycle = visit(imported, [...above, path])
      if (cycle) return cycle
    }
    finished.add(path)
    return undefined
  }
  for (const { path } of those) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return undefined
}

/** The client is a program of its own: its types have the names that its users expect. */
const client = /^describe\/client/

/** Each feature is a layer of its own here. */
function repeatedFiles(those: readonly SourceFile[]): readonly string[] {
  const byName = Map.groupBy(those, ({ path }) =>
    [featureOf(path) ?? partOf(path), posix.basename(path)].join('/'),
  )
  return [...byName.values()]
    .map((same) => same.map(({ path }) => path))
    .filter((paths) => paths.length > 1 && !areDrivers(paths))
    .map((paths) => paths.join(', '))
}

/** Whether it is one file of each of the two drivers. */
function areDrivers(paths: readonly string[]): boolean {
  const drivers = paths.map((path) => /^store\/(sqlite|postgres)\//.exec(path)?.[1])
  return paths.length === 2 && drivers.includes('sqlite') && drivers.includes('postgres')
}

function repeatedTypes(those: readonly SourceFile[]): readonly string[] {
  const declared = those
    .filter(({ path }) => !client.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(
        ([, exported, name = '']) => ({ path, name, exported: exported !== undefined }),
      ),
    )
  return [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, same]) => same.length > 1 && same.some(({ exported }) => exported))
    .map(([name, same]) => `${name}: ${same.map(({ path }) => path).join(', ')}`)
}
