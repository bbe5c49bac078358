import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mutantsOf } from './mutants.ts'

test('each mutant changes one line of code', () => {
  const text = 'if (one === two && three) return [four].filter(five)\nthrow six()\n'
  const mutants = mutantsOf(text)
  assert.ok(mutants.length >= 4)
  for (const mutant of mutants) {
    const lines = mutant.text.split('\n')
    const changed = text.split('\n').filter((line, index) => line !== lines[index])
    assert.equal(changed.length, 1)
    assert.equal(text.split('\n')[mutant.line - 1], changed[0])
  }
})

test('comments, strings, regular expressions and imports have no mutants', () => {
  const text = "/** a === b */\n// a && b\nimport { a } from './b === c.ts'\nuse('a < b', /x && y/)\n"
  assert.deepEqual(
    mutantsOf(text).filter(({ description }) => !description.startsWith('use')),
    [],
  )
})
