import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const fixtures = join(import.meta.dirname, 'fixtures')

/** What `tsc` says of the one file, under the project's own options. */
function compile(file: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-types-'))
  try {
    const source = file.endsWith('.txt') ? join(folder, 'wrong-use.ts') : file
    const text = readFileSync(file, 'utf8')
    if (source !== file) writeFileSync(source, text.replaceAll('SOURCE', join(root, 'src/definition')))
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
      include: [],
      files: [source],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, ['-p', folder], { cwd: root, encoding: 'utf8' })
    return { status, output: stdout }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('right uses compile, and each wrong use named in the fixture is an error', () => {
  const file = join(fixtures, 'types.ts')
  const expected = readFileSync(file, 'utf8').match(/@ts-expect-error/g)?.length ?? 0
  assert.ok(expected > 30)
  assert.deepEqual(compile(file), { status: 0, output: '' })
})

test('logic is typed by the resources: wrong names of resources, hooks and fields are errors', () => {
  const file = join(fixtures, 'logic-types.ts')
  const expected = readFileSync(file, 'utf8').match(/@ts-expect-error/g)?.length ?? 0
  assert.ok(expected >= 8)
  assert.deepEqual(compile(file), { status: 0, output: '' })
})

test('a wrong use makes tsc fail at its line', () => {
  const { status, output } = compile(join(fixtures, 'wrong-use.txt'))
  assert.notEqual(status, 0)
  assert.match(output, /wrong-use\.ts\(5,\d+\): error TS\d+: .*'titel'/)
})
