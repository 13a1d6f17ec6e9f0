/** nginx as the relay is compared with: one worker's worth of it, and nothing written, checked or limited on the way. */

export interface NginxOptions {
  folder: string;
  /** Where it listens and where the executor does, on 127.0.0.1. */
  port: number;
  executor: number;
  host: string;
  /** Files. */
  cert: string;
  key: string;
  ca: string;
  /** What must be loaded for `stream`, where it is not compiled in. */
  streamModule?: string;
}

/** Single-process, so that its CPU and memory are those of one process, as the relay's are. */
const COMMON = (folder: string) => `
user root;
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
`;

/** Passes the executor's TLS through. */
export function streamFile({ folder, port, executor, streamModule }: NginxOptions): string {
  return `${streamModule === undefined ? '' : `load_module ${streamModule};`}${COMMON(folder)}
stream {
  server {
    listen 127.0.0.1:${port} backlog=4096;
    proxy_pass 127.0.0.1:${executor};
    proxy_timeout 1h;
  }
}
`;
}

/** Ends the client's TLS, and keeps connections of its own to the executor over TLS. */
export function httpFile({ folder, port, executor, host, cert, key, ca }: NginxOptions): string {
  return `${COMMON(folder)}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream executor {
    server 127.0.0.1:${executor};
    keepalive 1000;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port} ssl backlog=4096;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.3;
    keepalive_requests 1000000;
    client_max_body_size 4m;
    location / {
      proxy_pass https://executor;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${host};
      proxy_buffering off;
      proxy_read_timeout 1h;
      proxy_ssl_protocols TLSv1.3;
      proxy_ssl_server_name on;
      proxy_ssl_name ${host};
      proxy_ssl_verify on;
      proxy_ssl_trusted_certificate ${ca};
    }
  }
}
`;
}
