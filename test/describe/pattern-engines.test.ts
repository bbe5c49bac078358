/**
 * Patterns of published schemas in several regular expression engines. Engines that are not
 * installed are skipped.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import shop from '../../examples/shop.ts'
import { cleanText } from '../../src/definition/kinds/text.ts'
import { admin, serve } from '../service.ts'
import { everything } from './everything.ts'

/** For each pattern, whether each of the samples matches; null where it does not compile. */
type Verdicts = readonly (readonly boolean[] | null)[]

interface Task {
  readonly patterns: readonly string[]
  readonly samples: readonly string[]
}

const samples = [
  ...['plain', 'é', '😀', 'a😀b', 'a\u0000', 'a\u001f', 'a\ufffe', 'tab\there', ''],
  ...['2026-02-28', '2026-02-29', '2024-02-29', '1900-02-29', '2000-02-29', '0000-01-01'],
  ...['2026-02-28T12:00:00.000Z', '0000-02-28T12:00:00Z', '2026-02-28T24:00:00Z'],
  ...['ada@example.org', `${'a'.repeat(65)}@example.org`, 'https://example.org/a?b#c', 'ftp://a'],
  ...['25', '-25', '0.00', '-0', '-0.00', '99.99', '100', '1.234', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ...['"tag"', 'W/"a", "b"', '*', 'AB12', '/a~1b', '!!!', 'word'],
]

suite('patterns of published schemas', () => {
  const task = { patterns: [] as string[], samples }
  let expected: Verdicts = []

  before(async () => {
    const found = new Set<string>()
    for (const definition of [shop, everything]) {
      await using service = await serve(definition)
      collectPatterns((await service.request('GET /openapi.json', admin)).json, found)
      const schemas = (await service.request('GET /schemas', admin)).json as Record<string, string>
      for (const uri of Object.values(schemas)) {
        collectPatterns((await service.request(`GET ${uri}`, admin)).json, found)
      }
    }
    task.patterns.push(...found)
    expected = inJavaScript(task, 'u')
  })

  test('there are many, including the text pattern', () => {
    assert.ok(task.patterns.length > 12)
    assert.ok(task.patterns.includes(cleanText))
    assert.ok(!expected.includes(null))
  })

  test('text may have emoji in JavaScript without the flag u', () => {
    assert.ok(new RegExp(cleanText).test('a😀b'))
    assert.ok(!new RegExp(cleanText).test('a\u0000'))
  })

  test('they match the same texts in JavaScript without the flag u', () => {
    assert.deepEqual(inJavaScript(task, ''), expected)
  })

  for (const [name, { command, file, program }] of Object.entries(engines())) {
    const skip = isThere(command)
      ? false
      : `${command[0]} is not installed: apt-get install ${command[0] === 'go' ? 'golang-go' : command[0]}`
    test(`they match the same texts in ${name}`, { skip }, () => {
      assert.deepEqual(inEngine({ command, file, program }, task), expected)
    })
  }
})

function collectPatterns(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === 'pattern' && typeof member === 'string') found.add(member)
    else if (name === 'patternProperties') for (const key of Object.keys(member)) found.add(key)
    collectPatterns(member, found)
  }
}

function inJavaScript({ patterns, samples }: Task, flags: string): Verdicts {
  return patterns.map((pattern) => {
    const expression = new RegExp(pattern, flags)
    return samples.map((sample) => expression.test(sample))
  })
}

interface Engine {
  /** The command that checks for the engine; the engine runs the program's file. */
  readonly command: readonly [string, ...string[]]
  readonly file: string
  readonly program: string
}

function isThere([command]: Engine['command']): boolean {
  return spawnSync(command, [command === 'go' ? 'version' : '--version']).status === 0
}

/** Runs the program with the task on its standard input; returns the results. */
function inEngine({ command: [command, ...args], file, program }: Engine, task: Task): Verdicts {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-patterns-'))
  try {
    writeFileSync(join(folder, file), program)
    const input = JSON.stringify(task)
    const { stdout, stderr } = spawnSync(command, [...args, file], {
      cwd: folder,
      input,
      encoding: 'utf8',
    })
    assert.notEqual(stdout, '', stderr)
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function engines(): Readonly<Record<string, Engine>> {
  return {
    Python: {
      command: ['python3'],
      file: 'patterns.py',
      program: `import json, re, sys
task = json.loads(sys.stdin.buffer.read().decode('utf-8'))
def verdict(pattern):
    try: expression = re.compile(pattern)
    except re.error: return None
    return [expression.search(sample) is not None for sample in task['samples']]
print(json.dumps([verdict(pattern) for pattern in task['patterns']]))
`,
    },
    'Go, whose syntax is that of RE2 and of Rust': {
      command: ['go', 'run'],
      file: 'patterns.go',
      program: `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var task struct{ Patterns, Samples []string }
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		panic(err)
	}
	verdicts := [][]bool{}
	for _, pattern := range task.Patterns {
		var verdict []bool
		if expression, err := regexp.Compile(pattern); err == nil {
			for _, sample := range task.Samples {
				verdict = append(verdict, expression.MatchString(sample))
			}
		}
		verdicts = append(verdicts, verdict)
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
    },
  }
}
