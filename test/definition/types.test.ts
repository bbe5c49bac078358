import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const fixtures = join(import.meta.dirname, 'fixtures')

let output = ''
before(() => {
  output = compile()
})

test('right uses compile, and each wrong use named in the fixture is an error', () => {
  const file = join(fixtures, 'types.ts')
  const expected = readFileSync(file, 'utf8').match(/@ts-expect-error/g)?.length ?? 0
  assert.ok(expected > 30)
  assert.equal(errorsIn('types'), '')
})

test('logic is typed by the resources: wrong names of resources, hooks and fields are errors', () => {
  const file = join(fixtures, 'logic-types.ts')
  const expected = readFileSync(file, 'utf8').match(/@ts-expect-error/g)?.length ?? 0
  assert.ok(expected >= 8)
  assert.equal(errorsIn('logic-types'), '')
})

test('a wrong use makes tsc fail at its line, and no other file', () => {
  assert.match(errorsIn('wrong-use'), /wrong-use\.ts\(5,\d+\): error TS\d+: .*'titel'/)
  assert.equal(errorsIn('wrong-use'), output)
})

/** What `tsc` says of the fixtures, as one program under the options of the project. */
function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-types-'))
  try {
    const wrong = readFileSync(join(fixtures, 'wrong-use.txt'), 'utf8')
    writeFileSync(join(folder, 'wrong-use.ts'), wrong.replaceAll('SOURCE', join(root, 'src/definition')))
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
      include: [],
      files: [join(fixtures, 'types.ts'), join(fixtures, 'logic-types.ts'), 'wrong-use.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, ['-p', folder], { cwd: root, encoding: 'utf8' })
    assert.notEqual(status, 0)
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The errors that the compiler reports in a file; each may have further, indented lines. */
function errorsIn(name: string): string {
  const errors = output.split(/^(?=\S)/m)
  return errors.filter((error) => new RegExp(`(^|/)${name}\\.ts\\(`).test(error)).join('')
}
