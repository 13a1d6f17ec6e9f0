/** What a case gives a coordinator subject to do, always in the name of `gate`. */
import type { BindingName } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import type { Job, JobRequest } from '../subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { FakeExecutor } from '../subjects/fake-executor.js';
import type { RelaySubject } from '../subjects/relay-subject.js';
import type { WireRequest } from '../wire/request.js';

/** Who an executor is, and where on the binding it says what it is. */
function placeOn(
  binding: BindingName,
  { peer, url }: { peer: string; url: string },
): Pick<Job['executor'], 'peer' | 'binding' | 'card' | 'url'> {
  if (binding === 'OAB') return { peer, binding, url };
  return { peer, binding, card: `${url}.well-known/agent-card.json` };
}

/** Towards the real executor. `others`: the ways to its further relays, in their order. */
export function jobFor(
  binding: BindingName,
  executor: ExecutorSubject,
  keyFile: string,
  request: WireRequest,
  connect: Address,
  others: readonly { address: Address }[],
): Job {
  const way = ({ id, url, ca }: RelaySubject) => ({ relay: id, url, ca, token_key: keyFile });
  const [relay, ...further] = executor.relays;
  const otherRelays = others.flatMap(({ address: { host, port } }, index) => {
    const other = further[index];
    return other === undefined ? [] : [{ ...way(other), connect: `${host}:${port}` }];
  });
  return {
    caller: 'gate',
    executor: {
      ...placeOn(binding, executor),
      ca: executor.ca,
      tls_key: executor.tlsKey,
      connect: `${connect.host}:${connect.port}`,
      ...(relay === undefined ? {} : { relay: way(relay) }),
      ...(otherRelays.length === 0 ? {} : { other_relays: otherRelays }),
    },
    key_file: keyFile,
    trusted_results: executor.resultKeys,
    reconnect: { floor: '20ms', ceiling: '500ms' },
    request: {
      request_id: request.request_id,
      task: request.task,
      capabilities: request.capabilities,
      deadline_ms: Number(request.deadline_ms),
      max_output_bytes: 256 * 1024,
    },
  };
}

/** Towards the harness in an executor's place. */
export function jobForFake(
  binding: BindingName,
  fake: FakeExecutor,
  keyFile: string,
  request: JobRequest,
): Job {
  const { relay, tokenKey } = fake;
  return {
    caller: 'gate',
    executor: {
      ...placeOn(binding, fake),
      ca: fake.ca,
      tls_key: fake.tlsKey,
      connect: fake.connect,
      ...(relay === undefined || tokenKey === undefined
        ? {}
        : { relay: { relay: relay.id, url: relay.url, ca: relay.ca, token_key: tokenKey } }),
    },
    key_file: keyFile,
    trusted_results: fake.resultKeys,
    reconnect: { floor: '20ms', ceiling: '100ms' },
    request,
  };
}
