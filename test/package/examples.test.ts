/** The JSDoc of every public export has an `@example`. All have the right types; those of `restwell` run. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as restwell from '../../src/index.ts'
import { folderOf, root } from '../commands/command.ts'

const definition = `import { anyone, boolean, ref, resource, service, text } from 'restwell'

const notes = resource(
  { title: text({ min: 1 }), done: boolean().default(false) },
  { access: { read: anyone, create: anyone, update: anyone }, search: ['title'] },
)
const projects = resource({ name: text() })
const tasks = resource({ title: text(), project: ref('projects', { inverse: 'tasks' }) })

export default service({ title: 'Notes', resources: { notes, projects, tasks } })
`

test('every public export has an example with the right types', async (t) => {
  const folder = await projectFolder(await folderOf(t))
  const examples = [...findExamples('index.ts'), ...findExamples('client.ts')]
  assert.ok(examples.length > 40)
  for (const { name, code } of examples) await writeFile(join(folder, `${name}.ts`), code)
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch((error) => error)
  assert.equal(stdout, '')
  for (const { name } of findExamples('index.ts')) {
    await import(pathToFileURL(join(folder, `${name}.ts`)).href)
  }
})

async function projectFolder(folder: string): Promise<string> {
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/restwell'))
  await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'service.ts'), definition)
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    lib: ['esnext'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    customConditions: ['source'],
    types: ['node'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return folder
}

interface Example {
  readonly name: string
  readonly code: string
}

/** The examples of all exports of the file; fails for an export that has none. */
function findExamples(file: string): readonly Example[] {
  const path = resolve(root, 'src', file)
  const text = readFileSync(path, 'utf8')
  const own = [...text.matchAll(/^export (?:function|type) (\w+)/gm)].map(([, name]) => ({
    name: name as string,
    source: text,
  }))
  const others = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']*)'/gm)].flatMap(
    ([, names = '', from = '']) => {
      const source = readFileSync(resolve(path, '..', from), 'utf8')
      return [...names.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, name]) => ({ name: name!, source }))
    },
  )
  return [...own, ...others].map(({ name, source }, index) => ({
    name: `${file.replace('.ts', '')}-${index}-${name}`,
    code: withImports(exampleOf(name, source)),
  }))
}

function exampleOf(name: string, source: string): string {
  const comment = `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n`
  const declared = `export (?:async )?(?:const|function|class|interface|type) ${name}\\b`
  const [, text = ''] = new RegExp(comment + declared).exec(source) ?? []
  const [, example] = text.split('@example\n')
  assert.ok(example, `${name} has no @example`)
  return example.replace(/^ \* ?/gm, '').trim()
}

/** An example that imports nothing itself may use everything that `restwell` exports. */
function withImports(code: string): string {
  if (code.includes('import ')) return `${code}\nexport {}\n`
  const types = ['CreateOf', 'Definition', 'OpenOptions', 'PatchOf', 'RowOf'].map((name) => `type ${name}`)
  const used = [...Object.keys(restwell), ...types].filter((name) =>
    new RegExp(`\\b${name.replace('type ', '')}\\b`).test(code),
  )
  return `import { ${used.join(', ')} } from 'restwell'\n${code}\nexport {}\n`
}
