/** Loaded before paycli: what Wine lacks, and the Ctrl-C of a console. */
const { Socket } = require('node:net');

// Wine 8 has no TCP keep-alive, and Node ends a connection that can't have it.
Socket.prototype.setKeepAlive = function () {
  return this;
};
Socket.prototype.setNoDelay = function () {
  return this;
};

// Nobody can press Ctrl-C in a console that doesn't exist. Node emits SIGINT for it.
process.on('message', (name) => process.emit(name, name));
process.channel?.unref();
