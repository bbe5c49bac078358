/** The option `paths` of a definition: what can be moved, and where to. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'

const notes = resource({ title: text() }, { access: { read: anyone } })

function reasonsOf(paths: unknown, resources: Record<string, typeof notes> = { notes }): readonly string[] {
  try {
    checkDefinition(service({ title: 'Notes', paths: paths as object, resources }))
    return []
  } catch (error) {
    assert.ok(error instanceof DefinitionFault)
    return error.faults.map(({ reason, suggestion }) => [reason, suggestion].filter(Boolean).join(' '))
  }
}

for (const [paths, expected] of [
  [{ events: 'changes', jobs: 'runs' }, []],
  [{ batch: 'a-1' }, []],
  // The two change places.
  [{ events: 'audit', audit: 'events' }, []],
  [[], [/^The option 'paths' must be an object/]],
  [{ event: 'changes' }, [/^paths\.event: nothing of this name can be moved\. Did you mean 'events'\?/]],
  [{ tokens: 'keys' }, [/^paths\.tokens: nothing of this name can be moved\. Expected: events, /]],
  [
    { events: 'Changes' },
    [/^paths\.events: must be a path segment in lower case with hyphens, not "Changes"/],
  ],
  [{ events: 'a/b' }, [/^paths\.events: must be a path segment/]],
  [{ events: '' }, [/^paths\.events: must be a path segment/]],
  [{ events: 7 }, [/^paths\.events: must be a path segment/]],
  [{ events: 'docs' }, [/^paths\.events: the path \/docs is reserved/]],
  [{ batch: 'batch' }, []],
  [{ events: 'session' }, [/^paths\.events: the path \/session is reserved/]],
  [{ batch: 'many', events: 'batch' }, [/^paths\.events: the path \/batch is reserved/]],
  [{ events: 'audit' }, [/^paths\.events: \/audit is the path of 'audit' too/]],
  [{ events: 'notes' }, [/^The path \/notes is reserved/]],
] as const) {
  test(`paths: ${JSON.stringify(paths)} has ${expected.length || 'no'} fault`, () => {
    const reasons = reasonsOf(paths)
    assert.equal(reasons.length, expected.length, reasons.join('\n'))
    for (const [at, pattern] of expected.entries()) assert.match(reasons[at] ?? '', pattern)
  })
}

test('a collection can have the name of what was moved', () => {
  assert.deepEqual(reasonsOf({ events: 'changes' }, { events: notes }), [])
  assert.match(reasonsOf({}, { events: notes })[0] ?? '', /^The path \/events is reserved/)
})
